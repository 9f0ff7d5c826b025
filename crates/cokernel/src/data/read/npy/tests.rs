#![allow(clippy::unwrap_used)]

use super::super::samples::npy;
use super::*;
use crate::data::{Matrix, Table};

fn read(bytes: &[u8]) -> Result<Table> {
    parse_npy(bytes, Path::new("a.npy"), &ReadOptions::default()).map(|f| f.table)
}

fn matrix(rows: usize, cols: usize, values: &[f64]) -> Table {
    Table::Dense(Matrix::new(rows, cols, values.to_vec()).unwrap())
}

#[test]
fn every_type_of_number() {
    let numbers = [0_i8, 1, 100, -3];
    macro_rules! check {
        ($t:ty, $code:literal, $expected:expr) => {
            let expected = matrix(2, 2, &$expected);
            for (order, big) in [("<", false), (">", true)] {
                let bytes: Vec<u8> = numbers
                    .iter()
                    .flat_map(|&x| {
                        let x = x as $t;
                        if big { x.to_be_bytes() } else { x.to_le_bytes() }
                    })
                    .collect();
                let file = npy(&format!("{order}{}", $code), false, "(2, 2)", &bytes);
                assert_eq!(read(&file).unwrap(), expected, "{order}{}", $code);
            }
        };
    }
    let signed = [0.0, 1.0, 100.0, -3.0];
    check!(i8, "i1", signed);
    check!(i16, "i2", signed);
    check!(i32, "i4", signed);
    check!(i64, "i8", signed);
    check!(f32, "f4", signed);
    check!(f64, "f8", signed);
    check!(u8, "u1", [0.0, 1.0, 100.0, 253.0]);
    check!(u16, "u2", [0.0, 1.0, 100.0, 65533.0]);
    check!(u32, "u4", [0.0, 1.0, 100.0, 4294967293.0]);
    assert_eq!(read(&npy("|b1", false, "(2,)", &[1, 0])).unwrap(), matrix(2, 1, &[1.0, 0.0]));
}

#[test]
fn column_order_and_one_dimension() {
    let bytes = [1, 2, 3, 4, 5, 6];
    let c = matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(read(&npy("|u1", false, "(2, 3)", &bytes)).unwrap(), c);
    let f = matrix(2, 3, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    assert_eq!(read(&npy("|u1", true, "(2, 3)", &bytes)).unwrap(), f);
    let one = matrix(6, 1, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(read(&npy("|u1", false, "(6,)", &bytes)).unwrap(), one);
}

#[test]
fn refusals() {
    let mut nan = 1.0_f64.to_le_bytes().to_vec();
    nan.extend(f64::NAN.to_le_bytes());
    let large = (u64::MAX).to_le_bytes();
    for (file, expected) in [
        (npy("|O", false, "(1,)", b"x"), "type '|O': Python objects"),
        (npy("|O8", false, "(1,)", b"x"), "Python objects; convert them to numbers"),
        (npy("<c16", false, "(1,)", &[0; 16]), "complex numbers"),
        (npy("<f2", false, "(1,)", &[0; 2]), "floats of unusual size"),
        (npy("<U1", false, "(1,)", &[65, 0, 0, 0]), "holds texts, expected numbers"),
        (npy("|u1", false, "(1, 1, 2)", &[1, 2]), "has 3 dimensions, expected 1 or 2"),
        (npy("|u1", false, "()", &[1]), "has 0 dimensions, expected 1 or 2"),
        (npy("|u1", false, "(0, 3)", &[]), "the table is 0 × 3"),
        (npy("|u1", false, "(3,)", &[1, 2]), "shape [3] with 1 bytes per item, but 2 bytes"),
        (npy("<f8", false, "(9999999999, 9999999999)", &[]), "but 0 bytes follow"),
        (npy("<f8", false, "(2, 1)", &nan), "row 2, column 1: NaN is not a finite number"),
        (npy("<u8", false, "(1,)", &large), "18446744073709551615 is too large"),
        (b"garbage".to_vec(), "this is not a NumPy array (.npy)"),
        (b"\x93NUMPY\x01\x00\xff\xff{".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x09\x00".to_vec(), "version 9 of the .npy format"),
    ] {
        let e = read(&file).unwrap_err().to_string();
        assert!(e.starts_with("a.npy: ") && e.contains(expected), "{e} / {expected}");
    }
}

#[test]
fn missing_rows_are_all_nan() {
    let values = [1.0, 2.0, f64::NAN, f64::NAN].map(f64::to_le_bytes).concat();
    let options = ReadOptions { missing_rows: true, ..Default::default() };
    let file = npy("<f8", false, "(2, 2)", &values);
    let file = parse_npy(&file, Path::new("a.npy"), &options).unwrap();
    assert_eq!(file.present.unwrap(), [true, false]);
}

#[test]
fn labels_of_every_type() {
    let texts = |file: &[u8]| label_array(file, Path::new("y.npy")).unwrap().texts;
    assert_eq!(texts(&npy("|i1", false, "(2,)", &[255, 7])), ["-1", "7"]);
    assert_eq!(texts(&npy("|b1", false, "(2,)", &[0, 1])), ["False", "True"]);
    assert_eq!(texts(&npy("<f8", false, "(1,)", &3.0_f64.to_le_bytes())), ["3"]);
    assert_eq!(texts(&npy("|S2", false, "(2,)", b"abc\0")), ["ab", "c"]);
    let unicode: Vec<u8> = "ä\0é!".chars().flat_map(|c| (c as u32).to_be_bytes()).collect();
    assert_eq!(texts(&npy(">U2", false, "(2,)", &unicode)), ["ä", "é!"]);
}
