//! Groups and datasets of an HDF5 file. What `hdf5-pure` is needed for is here and in `decode`: it parses
//! superblock, object headers, groups, attributes, datatypes and chunk indices; the values are read by `decode`.

use super::super::{ReadOptions, Room, compressed, parse_error, read_bytes};
use crate::{Error, Result};
use hdf5_pure::{
    Dataset as RawDataset, Datatype, DatatypeByteOrder, FileAccessProperties, FormatError,
    Group as RawGroup, Layout, MetadataCacheConfig, Object, ReferenceType, Source,
    VlenStringReadOptions,
};

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The first bytes of an HDF5 file, after a user block of 0, 512, 1024 … bytes.
const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// The user block of a MATLAB file.
const USER_BLOCK: usize = 512;
/// Metadata that is kept of a file on a disk.
const KEPT: usize = 4 << 20;
/// Strings of a dataset take as much for each beside their letters.
const STRING: usize = size_of::<String>();

/// Whether these are the first bytes of an HDF5 file, of MATLAB or others.
pub(in super::super) fn is_hdf5(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
        || bytes.get(USER_BLOCK..).is_some_and(|b| b.starts_with(SIGNATURE))
}

/// Whether a file, not compressed by gzip, is one of HDF5.
pub(in super::super) fn is_hdf5_file(path: &Path) -> Result<bool> {
    let mut head = Vec::new();
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let file = std::fs::File::open(path).map_err(io)?;
    file.take((USER_BLOCK + SIGNATURE.len()) as u64).read_to_end(&mut head).map_err(io)?;
    Ok(is_hdf5(&head))
}

/// The bytes of a file: on a disk, read where they are needed, or in memory.
pub(super) enum Store {
    Disk { file: std::fs::File, length: u64 },
    Memory(Vec<u8>),
}

impl Store {
    pub(super) fn length(&self) -> u64 {
        match self {
            Store::Disk { length, .. } => *length,
            Store::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Fills `into` from this place on.
    pub(super) fn fill(&self, place: u64, into: &mut [u8]) -> Result<(), String> {
        let end = place.checked_add(into.len() as u64).filter(|end| *end <= self.length());
        if end.is_none() {
            let (n, length) = (into.len(), self.length());
            return Err(format!(
                "{n} bytes are declared from byte {place} on, but the file ends at byte {length}; \
                 it is cut off or damaged, copy it again"
            ));
        }
        match self {
            Store::Memory(bytes) => into.copy_from_slice(&bytes[place as usize..][..into.len()]),
            #[cfg(unix)]
            Store::Disk { file, .. } => {
                use std::os::unix::fs::FileExt;
                file.read_exact_at(into, place).map_err(|e| e.to_string())?;
            }
            #[cfg(not(unix))]
            Store::Disk { file, .. } => {
                use std::io::{Seek, SeekFrom};

                // The place in a file belongs to all who read it.
                static ONE: Mutex<()> = Mutex::new(());
                let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
                let mut file = file;
                file.seek(SeekFrom::Start(place))
                    .and_then(|_| file.read_exact(into))
                    .map_err(|e| e.to_string())?;
            }
        }
        Ok(())
    }
}

/// A [`Store`] as `hdf5-pure` asks for it: texts one by one, some bytes at a time, so that blocks of a disk are kept.
struct Bytes {
    store: Arc<Store>,
    blocks: Mutex<[(u64, Vec<u8>); BLOCKS]>,
}

/// Bytes of a block, and how many are kept.
const BLOCK: u64 = 1 << 15;
const BLOCKS: usize = 16;

impl Bytes {
    fn over(store: Arc<Store>) -> Self {
        let none = std::array::from_fn(|_| (u64::MAX, Vec::new()));
        Bytes { store, blocks: Mutex::new(none) }
    }
}

impl Source for Bytes {
    fn len(&self) -> u64 {
        self.store.length()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), FormatError> {
        let (block, within) = (offset / BLOCK, (offset % BLOCK) as usize);
        let end = within + buf.len();
        if end as u64 > BLOCK || matches!(*self.store, Store::Memory(_)) {
            return self.store.fill(offset, buf).map_err(FormatError::Source);
        }
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let (kept, bytes) = &mut blocks[block as usize % BLOCKS];
        if *kept != block || bytes.len() < end {
            let length = BLOCK.min(self.len().saturating_sub(block * BLOCK));
            bytes.clear();
            bytes.resize(length as usize, 0);
            if let Err(e) = self.store.fill(block * BLOCK, bytes) {
                bytes.clear();
                return Err(FormatError::Source(e));
            }
            *kept = block;
        }
        match bytes.get(within..end) {
            Some(found) => buf.copy_from_slice(found),
            // Beyond the end: the sentence is that of the store.
            None => return self.store.fill(offset, buf).map_err(FormatError::Source),
        }
        Ok(())
    }
}

/// An open file.
pub(in super::super) struct File {
    inner: hdf5_pure::File,
    store: Arc<Store>,
}

impl File {
    /// The file at this place, decompressed if its name ends in `.gz`.
    pub(in super::super) fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        if compressed(path) {
            return Self::of(read_bytes(path, options)?, path);
        }
        let io = |source| Error::Io { path: path.to_path_buf(), source };
        let file = std::fs::File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        Self::over(Store::Disk { file, length }, path)
    }

    /// The file with these bytes.
    pub(in super::super) fn of(bytes: Vec<u8>, path: &Path) -> Result<Self> {
        Self::over(Store::Memory(bytes), path)
    }

    fn over(store: Store, path: &Path) -> Result<Self> {
        let store = Arc::new(store);
        let options = match *store {
            Store::Disk { .. } => {
                FileAccessProperties::new().with_metadata_cache(MetadataCacheConfig::new(KEPT))
            }
            Store::Memory(_) => FileAccessProperties::new(),
        };
        let inner = hdf5_pure::File::from_source_with_options(Bytes::over(store.clone()), options)
            .map_err(|e| {
                let problem = match e {
                    hdf5_pure::Error::Format(FormatError::SignatureNotFound) => {
                        "this is no HDF5 file".to_string()
                    }
                    e => format!("not a complete HDF5 file ({e})"),
                };
                parse_error(path, (0, 0), problem)
            })?;
        Ok(File { inner, store })
    }

    /// The group that holds everything.
    pub(in super::super) fn root(&self) -> Group {
        let (inner, store) = (self.inner.root(), self.store.clone());
        Group { inner, store, path: String::new() }
    }
}

/// What a name of a group, or a reference, leads to.
pub(in super::super) enum Node {
    Group(Group),
    Dataset(Dataset),
}

impl Node {
    pub(in super::super) fn path(&self) -> &str {
        match self {
            Node::Group(g) => &g.path,
            Node::Dataset(d) => &d.path,
        }
    }

    /// An attribute that is text.
    pub(in super::super) fn text(&self, name: &str) -> Option<String> {
        match self {
            Node::Group(g) => g.text(name),
            Node::Dataset(d) => d.text(name),
        }
    }

    /// An attribute that is one whole number.
    pub(in super::super) fn whole(&self, name: &str) -> Option<u64> {
        let attributes = match self {
            Node::Group(g) => g.inner.attrs(),
            Node::Dataset(d) => d.inner.attrs(),
        };
        attributes.ok()?.get(name)?.as_u64()
    }

    pub(in super::super) fn dataset(self) -> Result<Dataset, String> {
        match self {
            Node::Dataset(d) => Ok(d),
            Node::Group(g) => Err(format!("'{}' is a group; expected a dataset", g.path)),
        }
    }
}

/// A group: names that lead to groups and datasets.
pub(in super::super) struct Group {
    inner: RawGroup,
    store: Arc<Store>,
    /// The names that lead to it, with `/` between them.
    pub(in super::super) path: String,
}

impl Group {
    /// The names in it, sorted: those of groups and those of datasets.
    pub(in super::super) fn names(&self) -> Result<Vec<String>, String> {
        let fail = |e| {
            format!("group '/{}' cannot be read, the file is cut off or damaged ({e})", self.path)
        };
        let mut names = self.inner.groups().map_err(fail)?;
        names.extend(self.inner.datasets().map_err(fail)?);
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// What a name in it, or several with `/` between them, leads to, if anything.
    pub(in super::super) fn get(&self, name: &str) -> Result<Option<Node>, String> {
        let path = match self.path.as_str() {
            "" => name.to_string(),
            above => format!("{above}/{name}"),
        };
        let store = self.store.clone();
        match self.inner.dataset(name) {
            Ok(inner) => return Ok(Some(Node::Dataset(Dataset { inner, store, path }))),
            Err(hdf5_pure::Error::NotADataset(_)) => {}
            Err(hdf5_pure::Error::Format(FormatError::PathNotFound(_))) => return Ok(None),
            Err(e) => {
                if !self.names()?.iter().any(|n| n == name) {
                    return Ok(None);
                }
                return Err(format!("'/{path}' cannot be read: {e}"));
            }
        }
        match self.inner.group(name) {
            Ok(inner) => Ok(Some(Node::Group(Group { inner, store, path }))),
            Err(e) => Err(format!("'/{path}' cannot be read: {e}")),
        }
    }

    /// The group of this name, if there is one.
    pub(in super::super) fn group(&self, name: &str) -> Result<Option<Group>, String> {
        Ok(match self.get(name)? {
            Some(Node::Group(group)) => Some(group),
            _ => None,
        })
    }

    /// The dataset of this name.
    pub(in super::super) fn dataset(&self, name: &str) -> Result<Dataset, String> {
        let place = &self.path;
        self.get(name)?.ok_or_else(|| format!("there is no '{name}' in '/{place}'"))?.dataset()
    }

    /// An attribute that is text.
    pub(in super::super) fn text(&self, name: &str) -> Option<String> {
        Some(self.inner.attrs().ok()?.get(name)?.as_str()?.to_string())
    }

    /// An attribute that is one whole number.
    pub(in super::super) fn whole(&self, name: &str) -> Option<u64> {
        self.inner.attrs().ok()?.get(name)?.as_u64()
    }

    /// An attribute that is a list of texts.
    pub(in super::super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        Some(self.inner.attrs().ok()?.get(name)?.as_strings()?.to_vec())
    }

    /// An attribute that is a list of whole numbers.
    pub(in super::super) fn wholes(&self, name: &str) -> Option<Vec<usize>> {
        use hdf5_pure::AttrValue::{I32Array, I64Array, U32Array, U64Array};
        let attributes = self.inner.attrs().ok()?;
        let whole = |x: i64| usize::try_from(x).ok();
        match attributes.get(name)? {
            I64Array(all) => all.iter().map(|x| whole(*x)).collect(),
            I32Array(all) => all.iter().map(|x| whole(i64::from(*x))).collect(),
            U64Array(all) => all.iter().map(|x| usize::try_from(*x).ok()).collect(),
            U32Array(all) => all.iter().map(|x| usize::try_from(*x).ok()).collect(),
            _ => None,
        }
    }
}

/// What the elements of a dataset are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Signed(usize),
    Unsigned(usize),
    Real(usize),
    /// `false` and `true`, as h5py writes them.
    Bool,
    Text,
    Complex,
    /// Names of other objects of the file.
    Reference,
    Other,
}

impl Kind {
    pub(in super::super) fn is_number(self) -> bool {
        matches!(self, Kind::Signed(_) | Kind::Unsigned(_) | Kind::Real(_) | Kind::Bool)
    }

    /// In words.
    pub(in super::super) fn words(self) -> &'static str {
        match self {
            Kind::Signed(_) | Kind::Unsigned(_) | Kind::Real(_) => "numbers",
            Kind::Bool => "truth values",
            Kind::Text => "text",
            Kind::Complex => "complex numbers",
            Kind::Reference => "references",
            Kind::Other => "records or another type",
        }
    }
}

/// An array.
pub(in super::super) struct Dataset {
    pub(super) inner: RawDataset,
    pub(super) store: Arc<Store>,
    /// The names that lead to it, with `/` between them.
    pub(in super::super) path: String,
}

impl Dataset {
    /// A sentence about it.
    pub(super) fn says(&self, problem: impl std::fmt::Display) -> String {
        format!("dataset '/{}': {problem}", self.path)
    }

    /// What `hdf5-pure` refuses, and what to do.
    pub(super) fn refused(&self, error: hdf5_pure::Error) -> String {
        match error {
            hdf5_pure::Error::Format(
                FormatError::InvalidLayoutVersion(_) | FormatError::InvalidObjectHeaderVersion(_),
            ) => self.says(format!(
                "{error}; the file was written for the newest HDF5 only, write it again without \
                 libver='latest'"
            )),
            error => self.says(format!("it cannot be read ({error})")),
        }
    }

    /// Its sizes; a single value has none.
    pub(in super::super) fn shape(&self) -> Result<Vec<usize>, String> {
        let shape = self.inner.shape().map_err(|e| self.refused(e))?;
        let sizes: Option<Vec<usize>> = shape.iter().map(|d| usize::try_from(*d).ok()).collect();
        sizes.ok_or_else(|| self.says(format!("a shape of {shape:?} is too large")))
    }

    /// What its elements are, and whether their highest byte comes first.
    pub(super) fn element(&self) -> Result<(Kind, bool), String> {
        let of = |order: DatatypeByteOrder| order == DatatypeByteOrder::BigEndian;
        Ok(match self.inner.datatype().map_err(|e| self.refused(e))? {
            Datatype::FixedPoint { size: size @ (1 | 2 | 4 | 8), byte_order, layout }
                if layout.bit_offset == 0 && u32::from(layout.bit_precision) == 8 * size =>
            {
                let size = size as usize;
                let kind = if layout.signed { Kind::Signed(size) } else { Kind::Unsigned(size) };
                (kind, of(byte_order))
            }
            Datatype::FloatingPoint { size, byte_order, layout }
                if byte_order != DatatypeByteOrder::Vax
                    && matches!(
                        (size, layout.exponent_size, layout.mantissa_size, layout.exponent_bias),
                        (2, 5, 10, 15) | (4, 8, 23, 127) | (8, 11, 52, 1023)
                    ) =>
            {
                (Kind::Real(size as usize), of(byte_order))
            }
            Datatype::Enumeration { size: 1, members, .. }
                if members.len() == 2
                    && members.iter().all(|m| {
                        m.name.eq_ignore_ascii_case(if m.value == [0] { "false" } else { "true" })
                    }) =>
            {
                (Kind::Bool, false)
            }
            Datatype::String { .. } | Datatype::VariableLength { is_string: true, .. } => {
                (Kind::Text, false)
            }
            Datatype::Reference { ref_type: ReferenceType::Object, .. } => (Kind::Reference, false),
            Datatype::Compound { members, .. }
                if members.len() == 2
                    && matches!(
                        (members[0].name.as_str(), members[1].name.as_str()),
                        ("real", "imag") | ("r", "i")
                    ) =>
            {
                (Kind::Complex, false)
            }
            _ => (Kind::Other, false),
        })
    }

    /// What its elements are.
    pub(in super::super) fn kind(&self) -> Result<Kind, String> {
        Ok(self.element()?.0)
    }

    /// An attribute that is text.
    pub(in super::super) fn text(&self, name: &str) -> Option<String> {
        Some(self.inner.attrs().ok()?.get(name)?.as_str()?.to_string())
    }

    /// Its texts, one after the other.
    pub(in super::super) fn texts(&self, room: &mut Room) -> Result<Vec<String>, String> {
        let kind = self.kind()?;
        if kind != Kind::Text {
            return Err(self.says(format!("expected text, found {}", kind.words())));
        }
        let datatype = self.inner.datatype().map_err(|e| self.refused(e))?;
        let width = self.inner.element_size().map_err(|e| self.refused(e))? as usize;
        let elements = self.plausible(self.elements(&self.shape()?)?, width)?;
        let letters = match datatype {
            Datatype::String { .. } => elements.saturating_mul(width),
            _ => self.inner.vlen_string_payload_size().map_err(|e| self.refused(e))? as usize,
        };
        room.take(letters.saturating_add(elements.saturating_mul(STRING)))
            .map_err(|e| self.says(e))?;
        match datatype {
            Datatype::String { .. } => self.inner.read_string(),
            _ => {
                let most = VlenStringReadOptions::new().with_max_payload_bytes(letters);
                self.inner.read_vlen_strings(most)
            }
        }
        .map_err(|e| self.refused(e))
    }

    /// What its elements name, one after the other.
    pub(in super::super) fn references(&self) -> Result<Vec<Node>, String> {
        let width = self.inner.element_size().map_err(|e| self.refused(e))? as usize;
        self.plausible(self.elements(&self.shape()?)?, width)?;
        let all = self.inner.dereference().map_err(|e| self.refused(e))?;
        let node = |(k, object)| {
            let (store, path) = (self.store.clone(), format!("{}[{k}]", self.path));
            match object {
                Object::Group(inner) => Ok(Node::Group(Group { inner, store, path })),
                Object::Dataset(inner) => Ok(Node::Dataset(Dataset { inner: *inner, store, path })),
                _ => Err(self.says(format!("element {k} names neither a group nor a dataset"))),
            }
        };
        all.into_iter().enumerate().map(node).collect()
    }

    /// The number of elements of this shape.
    pub(super) fn elements(&self, shape: &[usize]) -> Result<usize, String> {
        let count = shape.iter().try_fold(1_usize, |n, d| n.checked_mul(*d));
        count.ok_or_else(|| self.says(format!("a shape of {shape:?} is too large")))
    }

    /// Refuses a number of elements of so many bytes that the file does not bear out: more than 16 million
    /// bytes and more than a thousand times what is stored.
    pub(super) fn plausible(&self, elements: usize, width: usize) -> Result<usize, String> {
        const FREE: u64 = 1 << 24;
        let bytes = (elements as u64).saturating_mul(width as u64);
        let stored = match self.inner.layout().map_err(|e| self.refused(e))? {
            Layout::Contiguous { address: None, .. } => 0,
            Layout::Virtual => {
                let advice = "its values are in other files; write them into one";
                return Err(self.says(format!("it is virtual: {advice}")));
            }
            _ => self.store.length(),
        };
        if bytes > FREE.max(stored.saturating_mul(1100)) {
            return Err(self.says(format!(
                "{bytes} bytes are declared, but no more than {stored} are stored; the file is \
                 damaged, or was never written to the end"
            )));
        }
        Ok(elements)
    }
}
