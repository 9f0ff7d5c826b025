//! The variables of a MATLAB file as a tree: matrices, and what cell arrays and structs hold.

use super::super::hdf5::{Dataset, Group, Kind};
use super::elements::{Elements, MATRIX, word};
use std::borrow::Cow;
use std::rc::Rc;

/// Bit of the array flags that says that the numbers are complex.
pub(super) const COMPLEX: u32 = 0x0800;
/// Bit of the array flags that says that the numbers are true or false.
pub(super) const LOGICAL: u32 = 0x0200;

/// Cell arrays and structs within each other.
pub(in super::super) const DEEPEST: usize = 16;
/// Variables, cells and fields of one file: far above any known data set.
pub(in super::super) const MOST: usize = 1 << 20;
/// Letters of a name; MATLAB has 63.
const LONGEST: usize = 127;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Class {
    Numeric,
    Sparse,
    Cell,
    Struct,
    /// Square matrices in one array.
    Stack,
    Text,
    /// Objects, functions and what other versions add.
    Other,
}

/// Where the values of a variable are.
#[derive(Clone)]
pub(in super::super) enum Content<'a> {
    /// The elements after the name, column by column; of a stack, a matrix.
    Elements { bytes: &'a [u8], big_endian: bool, slice: Option<usize> },
    /// An array of MATLAB 7.3, column by column; of a stack, a matrix.
    ByColumns(Rc<Dataset>, Option<usize>),
    /// An array of another HDF5 file, row by row; of a stack, a matrix.
    ByRows(Rc<Dataset>, Option<usize>),
    /// A sparse matrix of MATLAB 7.3.
    Columns(Rc<Group>),
}

/// A variable, or what a cell or field holds; its content is still in the form of the file.
pub(in super::super) struct Variable<'a> {
    /// As MATLAB writes it: `x`, `X{2}`, `data.fou`, `data(2).fou`, `KH(:,:,3)`; in other HDF5 files `data/fou`,
    /// `KH[2]`.
    pub(in super::super) path: String,
    pub(in super::super) class: Class,
    pub(in super::super) complex: bool,
    pub(in super::super) logical: bool,
    pub(in super::super) shape: Vec<usize>,
    pub(in super::super) content: Content<'a>,
    /// What a cell array, struct or stack holds.
    pub(in super::super) parts: Vec<Variable<'a>>,
}

/// The matrices of an array of n × n × M (row by row M × n × n) as its parts.
pub(in super::super) fn stacked(variable: &mut Variable<'_>) {
    let (last, size) = match (&variable.content, &variable.shape[..]) {
        (Content::ByRows(..), &[m, a, b]) if a == b => (m, a),
        (Content::Elements { .. } | Content::ByColumns(..), &[a, b, m]) if a == b => (m, a),
        _ => return,
    };
    if variable.class != Class::Numeric || size < 2 || last > MOST {
        return;
    }
    variable.class = Class::Stack;
    variable.parts = (0..last)
        .map(|k| {
            let mut content = variable.content.clone();
            let slice = match &mut content {
                Content::Elements { slice, .. } => Some(slice),
                Content::ByColumns(_, slice) | Content::ByRows(_, slice) => Some(slice),
                Content::Columns(_) => None,
            };
            slice.into_iter().for_each(|s| *s = Some(k));
            let path = match variable.by_rows() {
                true => format!("{}[{k}]", variable.path),
                false => format!("{}(:,:,{})", variable.path, k + 1),
            };
            let mut part = Variable::new(path, Class::Numeric);
            (part.complex, part.logical) = (variable.complex, variable.logical);
            (part.shape, part.content) = (vec![size, size], content);
            part
        })
        .collect();
}

impl<'a> Variable<'a> {
    /// One without content.
    pub(in super::super) fn new(path: String, class: Class) -> Self {
        Variable {
            path,
            class,
            complex: false,
            logical: false,
            shape: vec![0, 0],
            content: Content::Elements { bytes: &[], big_endian: false, slice: None },
            parts: Vec::new(),
        }
    }

    /// Whether its numbers are stored row by row.
    pub(super) fn by_rows(&self) -> bool {
        matches!(self.content, Content::ByRows(..))
    }

    /// Whether it is text that is read, one for each instance.
    pub(super) fn is_text_vector(&self) -> bool {
        let Content::ByRows(dataset, None) = &self.content else { return false };
        self.class == Class::Text && dataset.kind() == Ok(Kind::Text)
    }

    pub(super) fn is_matrix(&self) -> bool {
        matches!(self.class, Class::Numeric | Class::Sparse) && !self.shape.contains(&0)
    }

    pub(super) fn holds_parts(&self) -> bool {
        matches!(self.class, Class::Cell | Class::Struct | Class::Stack)
    }

    /// Itself, or all that it holds, but for cell arrays and structs.
    pub(super) fn leaves(&self) -> Vec<&Variable<'a>> {
        match self.holds_parts() {
            true => self.parts.iter().flat_map(Variable::leaves).collect(),
            false => vec![self],
        }
    }

    /// The matrices among its [`leaves`](Self::leaves).
    pub(super) fn matrices(&self) -> Vec<&Variable<'a>> {
        self.leaves().into_iter().filter(|v| v.is_matrix()).collect()
    }

    /// The last name of the path: `y` of `y`, `y{1}`, `data.y` and `data/y`.
    pub(super) fn own_name(&self) -> &str {
        let last = self.path.rsplit(['.', '/']).next().unwrap_or(&self.path);
        last.split(['{', '(', '[']).next().unwrap_or(last)
    }

    /// Rows and columns of a matrix.
    pub(super) fn size(&self) -> Result<(usize, usize), String> {
        let found = match self.class {
            Class::Numeric | Class::Sparse => "",
            Class::Text => "a text",
            Class::Cell => "a cell array",
            Class::Struct => "a struct",
            Class::Stack => "a stack of matrices",
            Class::Other => "an object or a function",
        };
        if !found.is_empty() {
            return Err(format!("expected a matrix of numbers, found {found}"));
        }
        if self.complex {
            return Err("the numbers are complex; save real and imaginary parts".into());
        }
        match self.shape[..] {
            [rows, cols] => Ok((rows, cols)),
            _ => Err(format!("the array has {} dimensions, expected 2", self.shape.len())),
        }
    }

    /// The variable with this path, here or below.
    pub(super) fn find(&self, path: &str) -> Option<&Variable<'a>> {
        if self.path == path {
            return Some(self);
        }
        self.parts.iter().find_map(|v| v.find(path))
    }
}

/// The variables of a file that have a name.
pub(super) fn variables<'a>(
    contents: &'a [Cow<'a, [u8]>],
    big_endian: bool,
) -> Result<Vec<Variable<'a>>, String> {
    let mut reader = Reader { big_endian, left: MOST };
    let mut all = Vec::new();
    for content in contents.iter().filter(|c| !c.is_empty()) {
        all.push(reader.variable(content, None, DEEPEST)?);
    }
    all.retain(|v| !v.path.is_empty());
    Ok(all)
}

struct Reader {
    big_endian: bool,
    /// Variables that may still come.
    left: usize,
}

impl Reader {
    /// The variable in the content of a matrix element; `path` if it has no name of its own.
    fn variable<'a>(
        &mut self,
        content: &'a [u8],
        path: Option<String>,
        depth: usize,
    ) -> Result<Variable<'a>, String> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| format!("the file holds more than {MOST} variables and cells"))?;
        let mut variable = Variable::new(path.clone().unwrap_or_default(), Class::Numeric);
        // An empty cell.
        if content.is_empty() {
            return Ok(variable);
        }
        let mut parts = Elements::new(content, self.big_endian);
        let (_, flags) = parts.next()?;
        if flags.len() < 8 {
            return Err("a variable has no array flags".to_string());
        }
        let flags = word(flags, self.big_endian);
        (variable.complex, variable.logical) = (flags & COMPLEX != 0, flags & LOGICAL != 0);
        const OPAQUE: u32 = 17;
        variable.class = match flags & 0xff {
            1 => Class::Cell,
            2 => Class::Struct,
            4 => Class::Text,
            5 => Class::Sparse,
            6..=15 => Class::Numeric,
            _ => Class::Other,
        };
        // What other versions add has no size.
        if flags & 0xff != OPAQUE {
            let shape: Option<Vec<usize>> =
                parts.numbers()?.iter().map(|d| (*d >= 0.0).then_some(*d as usize)).collect();
            variable.shape = shape.ok_or("a variable has a negative size")?;
        }
        let (_, name) = parts.next()?;
        if path.is_none() {
            variable.path = name_of(name)?;
        }
        let (bytes, big_endian) = (parts.rest, self.big_endian);
        variable.content = Content::Elements { bytes, big_endian, slice: None };
        if variable.class == Class::Numeric {
            stacked(&mut variable);
            self.left = self
                .left
                .checked_sub(variable.parts.len())
                .ok_or_else(|| format!("the file holds more than {MOST} variables and cells"))?;
        } else if variable.holds_parts() {
            let depth = depth
                .checked_sub(1)
                .ok_or_else(|| format!("cells and structs are nested more than {DEEPEST} times"))?;
            variable.parts = self.parts(&variable, parts, depth)?;
        }
        Ok(variable)
    }

    /// What a cell array or struct holds, in the order of the file.
    fn parts<'a>(
        &mut self,
        whole: &Variable<'a>,
        mut elements: Elements<'a>,
        depth: usize,
    ) -> Result<Vec<Variable<'a>>, String> {
        let path = &whole.path;
        let fields = match whole.class {
            Class::Struct => Some(field_names(&mut elements)?),
            _ => None,
        };
        let count = whole.shape.iter().try_fold(1_usize, |n, d| n.checked_mul(*d));
        let declared = count.and_then(|n| n.checked_mul(fields.as_ref().map_or(1, Vec::len)));
        let mut parts = Vec::new();
        while !elements.rest.is_empty() && declared.is_some_and(|n| parts.len() < n) {
            let k = parts.len();
            let own = match &fields {
                None => format!("{path}{{{}}}", k + 1),
                Some(names) if count == Some(1) => format!("{path}.{}", names[k]),
                Some(names) => {
                    format!("{path}({}).{}", k / names.len() + 1, names[k % names.len()])
                }
            };
            let (kind, content) = elements.next()?;
            if kind != MATRIX {
                return Err(format!("'{own}' is no matrix but an element of type {kind}"));
            }
            parts.push(self.variable(content, Some(own), depth)?);
        }
        if declared != Some(parts.len()) {
            let found = parts.len();
            let declared = declared.map_or("too many".to_string(), |n| n.to_string());
            return Err(format!("'{path}' declares {declared} parts and has {found}"));
        }
        Ok(parts)
    }
}

fn name_of(bytes: &[u8]) -> Result<String, String> {
    if bytes.len() > LONGEST {
        return Err(format!("a name has {} letters, more than {LONGEST}", bytes.len()));
    }
    Ok(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string())
}

/// The names of the fields of a struct, padded with zeros to one length.
fn field_names(elements: &mut Elements<'_>) -> Result<Vec<String>, String> {
    let length = elements.numbers()?.first().map_or(0, |l| *l as usize);
    let (_, names) = elements.next()?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    if length == 0 || names.len() % length != 0 {
        return Err(format!("field names of {length} letters do not fit {} bytes", names.len()));
    }
    let until_zero = |name: &[u8]| name_of(name.split(|b| *b == 0).next().unwrap_or_default());
    names.chunks_exact(length).map(until_zero).collect()
}
