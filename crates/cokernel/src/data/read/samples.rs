//! Small valid files, made by hand, for the tests of the readers.

#![allow(clippy::unwrap_used)]

use hdf5_pure::{AttrValue, DatasetBuilder, FileBuilder, FinishedGroup};
use std::io::Write;

/// A NumPy array of version 1.
pub(super) fn npy(descr: &str, fortran: bool, shape: &str, content: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16 + 1).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.push(b'\n');
    bytes.extend(content);
    bytes
}

/// An archive of arrays, compressed.
pub(super) fn npz(arrays: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A MATLAB file of these elements, lowest byte first.
pub(super) fn mat(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![b' '; 116];
    bytes.extend([0; 8]);
    bytes.extend([0, 1, b'I', b'M']);
    bytes.extend(elements.concat());
    bytes
}

/// An element of a MATLAB file, padded to 8 bytes.
pub(super) fn element(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// An element of at most 4 bytes in its short form.
pub(super) fn small(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = (kind | (content.len() as u32) << 16).to_le_bytes().to_vec();
    bytes.extend(content);
    bytes.resize(8, 0);
    bytes
}

/// A matrix element with these flags and class, size and parts.
pub(super) fn matrix(flags: u32, name: &str, shape: &[i32], parts: &[Vec<u8>]) -> Vec<u8> {
    let flags = [flags.to_le_bytes(), [0; 4]].concat();
    let shape: Vec<u8> = shape.iter().flat_map(|d| d.to_le_bytes()).collect();
    let name = match name.len() {
        0..=4 => small(1, name.as_bytes()),
        _ => element(1, name.as_bytes()),
    };
    let head = [element(6, &flags), element(5, &shape), name];
    element(14, &[head.concat(), parts.concat()].concat())
}

/// The compressed form of an element.
pub(super) fn compressed(element: &[u8]) -> Vec<u8> {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(element).unwrap();
    let content = zlib.finish().unwrap();
    let mut bytes = 15_u32.to_le_bytes().to_vec();
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(content);
    bytes
}

fn text(value: &str) -> AttrValue {
    AttrValue::AsciiString(value.to_string())
}

/// A file of MATLAB 7.3: `X` of a 3 × 2 (compressed) and a 3 × 4 matrix, `KH` of 3 × 3 × 2, labels `gt`, a struct
/// `s` with a sparse matrix `a` of 3 × 2, and a text.
pub(super) fn mat73() -> Vec<u8> {
    let mut file = FileBuilder::new();
    file.with_userblock(512);
    let double = |d: &mut DatasetBuilder, shape: &[u64], data: &[f64]| {
        d.with_f64_data(data).with_shape(shape).set_attr("MATLAB_class", text("double"));
    };
    let mut refs = file.create_group("#refs#");
    // Sizes are in reverse order.
    let a = refs.create_dataset("a");
    double(a, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    a.with_chunks(&[1, 2]).with_shuffle().with_deflate(6);
    let counting: Vec<f64> = (0..12).map(f64::from).collect();
    double(refs.create_dataset("b"), &[4, 3], &counting);
    file.add_group(refs.finish());
    file.create_dataset("X")
        .with_path_references(&["#refs#/a", "#refs#/b"])
        .with_shape(&[2, 1])
        .set_attr("MATLAB_class", text("cell"));
    let kernels: Vec<f64> = [[2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0], [1.0; 9]].concat();
    let k = file.create_dataset("KH");
    double(k, &[2, 3, 3], &kernels);
    k.with_chunks(&[2, 2, 1]).with_deflate(1);
    double(file.create_dataset("gt"), &[1, 3], &[1.0, 2.0, 1.0]);
    file.create_dataset("t")
        .with_u16_data(&[72, 105])
        .with_shape(&[2, 1])
        .set_attr("MATLAB_class", text("char"));
    let mut whole = file.create_group("s");
    whole.set_attr("MATLAB_class", text("struct"));
    let mut a = whole.create_group("a");
    a.set_attr("MATLAB_class", text("double"));
    a.set_attr("MATLAB_sparse", AttrValue::U64(3));
    a.create_dataset("data").with_f64_data(&[7.0, 8.0]);
    a.create_dataset("ir").with_u64_data(&[0, 2]);
    a.create_dataset("jc").with_u64_data(&[0, 1, 2]);
    whole.add_group(a.finish());
    file.add_group(whole.finish());
    file.finish().unwrap()
}

/// A file of HDF5: `views/one` of 3 × 2, `views/two` of 3 × 1 of whole numbers, and labels `y` as text.
pub(super) fn h5() -> Vec<u8> {
    let mut file = FileBuilder::new();
    let mut views = file.create_group("views");
    views.create_dataset("one").with_f32_data(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).with_shape(&[3, 2]);
    views.create_dataset("two").with_i16_data(&[1, -2, 3]);
    file.add_group(views.finish());
    file.create_dataset("y").with_vlen_strings(&["u", "vv", "u"]);
    file.finish().unwrap()
}

/// The observations of a file or group, whose builders differ: names, a column `kind` that the last lacks, and
/// numbers `age`.
macro_rules! observations {
    ($within:expr, $names:expr) => {{
        let mut obs = $within.create_group("obs");
        obs.set_attr("_index", text("_index"));
        obs.set_attr("encoding-type", text("dataframe"));
        obs.create_dataset("_index").with_vlen_strings($names);
        let codes: Vec<i8> = (0..$names.len())
            .map(|i| if i + 1 == $names.len() { -1 } else { i as i8 % 2 })
            .collect();
        let ages: Vec<f64> = (0..$names.len()).map(|i| i as f64 + 0.5).collect();
        let mut kind = obs.create_group("kind");
        kind.set_attr("encoding-type", text("categorical"));
        kind.create_dataset("categories").with_vlen_strings(&["u", "v"]);
        kind.create_dataset("codes").with_i8_data(&codes);
        obs.add_group(kind.finish());
        obs.create_dataset("age").with_f64_data(&ages);
        $within.add_group(obs.finish());
    }};
}

/// X of n × 3, sparse with one entry in each row; `obsm/pca` of n × 2; `obsp/near`, each observation to itself.
macro_rules! matrices {
    ($within:expr, $n:expr) => {{
        let n: u64 = $n;
        for (name, cols) in [("X", 3_u64), ("near", n)] {
            let mut folder = (name == "near").then(|| $within.create_group("obsp"));
            let mut x = match &mut folder {
                Some(folder) => folder.create_group(name),
                None => $within.create_group(name),
            };
            x.set_attr("encoding-type", text("csr_matrix"));
            x.set_attr("shape", AttrValue::I64Array(vec![n as i64, cols as i64]));
            let columns: Vec<i32> = (0..n).map(|i| (i % cols) as i32).collect();
            let starts: Vec<i32> = (0..=n as i32).collect();
            let values: Vec<f32> = (0..n).map(|i| i as f32 + 1.0).collect();
            x.create_dataset("data").with_f32_data(&values);
            x.create_dataset("indices").with_i32_data(&columns);
            x.create_dataset("indptr").with_i32_data(&starts);
            let x: FinishedGroup = x.finish();
            match folder {
                Some(mut folder) => {
                    folder.add_group(x);
                    $within.add_group(folder.finish());
                }
                None => $within.add_group(x),
            }
        }
        let mut obsm = $within.create_group("obsm");
        let pca: Vec<f64> = (0..2 * n).map(|i| i as f64).collect();
        obsm.create_dataset("pca").with_f64_data(&pca).with_shape(&[n, 2]);
        $within.add_group(obsm.finish());
    }};
}

/// An AnnData file of four observations p, q, r, s.
pub(super) fn h5ad() -> Vec<u8> {
    let mut file = FileBuilder::new();
    observations!(file, &["p", "q", "r", "s"]);
    matrices!(file, 4);
    file.finish().unwrap()
}

/// A MuData file of p, q, r, s: `rna` has all of them, `prot` s and q.
pub(super) fn h5mu() -> Vec<u8> {
    let mut file = FileBuilder::new();
    observations!(file, &["p", "q", "r", "s"]);
    let mut all = file.create_group("mod");
    let mut rna = all.create_group("rna");
    observations!(rna, &["p", "q", "r", "s"]);
    matrices!(rna, 4);
    all.add_group(rna.finish());
    let mut prot = all.create_group("prot");
    observations!(prot, &["s", "q"]);
    matrices!(prot, 2);
    all.add_group(prot.finish());
    file.add_group(all.finish());
    let mut map = file.create_group("obsmap");
    map.create_dataset("rna").with_u32_data(&[1, 2, 3, 4]);
    map.create_dataset("prot").with_u32_data(&[0, 2, 0, 1]);
    file.add_group(map.finish());
    file.finish().unwrap()
}
