//! Small valid files, made by hand, for the tests of the readers.

#![allow(clippy::unwrap_used)]

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
