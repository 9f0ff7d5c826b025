//! Model files with changed content whose sizes and checksum are made right again: what a hostile
//! author would write. Also changes of the numbers, lists and names in their header.

use crate::mutate::{Rng, number};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Bytes of a number of each kind.
const WIDTHS: [(&str, usize); 3] = [("F64", 8), ("U64", 8), ("U32", 4)];

/// The most bytes that a table is given.
const LARGEST: usize = 1 << 16;

/// A file taken apart.
struct Parts {
    /// The entry of the metadata: its name and content.
    key: String,
    model: Value,
    /// Kind, shape and bytes of the tables.
    tables: BTreeMap<String, (String, Vec<u64>, Vec<u8>)>,
}

/// Takes a file apart, as far as it can be.
fn parts(file: &[u8]) -> Option<Parts> {
    let content = file.get(8..)?;
    let mut stream =
        serde_json::Deserializer::from_slice(content).into_iter::<Map<String, Value>>();
    let mut header = stream.next()?.ok()?;
    // The header may end with spaces, so that tables begin at a multiple of eight.
    let end = stream.byte_offset();
    let length = u64::from_le_bytes(file[..8].try_into().ok()?) as usize;
    let spaces = content.get(end..length).is_some_and(|s| s.iter().all(|b| *b == b' '));
    let data = &content[if spaces { length } else { end }..];
    let metadata = header.remove("__metadata__")?;
    let (key, text) = metadata.as_object()?.iter().next()?;
    let model = serde_json::from_str(text.as_str()?).ok()?;
    let mut tables = BTreeMap::new();
    for (name, info) in header {
        let at = |i: usize| info["data_offsets"][i].as_u64().map(|v| v as usize);
        let bytes = data.get(at(0)?.min(data.len())..at(1)?.min(data.len())).unwrap_or_default();
        let shape = info["shape"].as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?;
        let kind = info["dtype"].as_str()?.to_string();
        tables.insert(name, (kind, shape, bytes.to_vec()));
    }
    Some(Parts { key: key.clone(), model, tables })
}

/// The file of these parts: tables are cut or filled with zeros to their shapes.
fn file(mut parts: Parts) -> Option<Vec<u8>> {
    for (kind, shape, bytes) in parts.tables.values_mut() {
        let width = WIDTHS.iter().find(|w| w.0 == kind)?.1;
        let size = shape.iter().try_fold(width as u64, |a, d| a.checked_mul(*d))?;
        if size > LARGEST as u64 {
            return None;
        }
        bytes.resize(size as usize, 0);
    }
    if let Some(model) = parts.model.as_object_mut() {
        model.insert("crc32".to_string(), "00000000".into());
    }
    let text = serde_json::to_string(&parts.model).ok()?;
    let mut crc = crc32fast::Hasher::new();
    crc.update(text.as_bytes());
    let mut header = Map::new();
    let mut data = Vec::new();
    for (name, (kind, shape, bytes)) in &parts.tables {
        crc.update(name.as_bytes());
        shape.iter().for_each(|d| crc.update(&d.to_le_bytes()));
        crc.update(bytes);
        let offsets = [data.len(), data.len() + bytes.len()];
        let info = serde_json::json!({ "dtype": kind, "shape": shape, "data_offsets": offsets });
        header.insert(name.clone(), info);
        data.extend_from_slice(bytes);
    }
    let crc = format!("\"crc32\":\"{:08x}\"", crc.finalize());
    let text = text.replacen("\"crc32\":\"00000000\"", &crc, 1);
    header.insert("__metadata__".to_string(), serde_json::json!({ parts.key: text }));
    let header = serde_json::to_vec(&header).ok()?;
    Some([&(header.len() as u64).to_le_bytes()[..], &header, &data].concat())
}

/// The same content with right sizes and a right checksum; `None` if it cannot be had.
pub fn repaired(bytes: &[u8]) -> Option<Vec<u8>> {
    file(parts(bytes)?)
}

/// The same file without the time that fitting took: the same bytes on every machine.
pub fn timeless(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut parts = parts(bytes)?;
    for place in ["/model/report/seconds", "/model/info/report/seconds"] {
        if let Some(seconds) = parts.model.pointer_mut(place) {
            *seconds = 0.0.into();
        }
    }
    file(parts)
}

/// Changes something in the header of a file, or a shape, or numbers of a table; whether it did.
pub fn change(bytes: &mut Vec<u8>, rng: &mut Rng) -> bool {
    let Some(mut parts) = parts(bytes) else { return false };
    for _ in 0..1 + rng.below(3) {
        if rng.below(4) > 0 {
            change_value(&mut parts.model, rng);
        } else {
            change_table(&mut parts.tables, rng);
        }
    }
    match file(parts) {
        Some(new) => {
            *bytes = new;
            true
        }
        None => false,
    }
}

fn change_table(tables: &mut BTreeMap<String, (String, Vec<u64>, Vec<u8>)>, rng: &mut Rng) {
    let place = rng.below(tables.len());
    let Some((_, (kind, shape, bytes))) = tables.iter_mut().nth(place) else { return };
    match rng.below(3) {
        0 if !shape.is_empty() => {
            let d = rng.below(shape.len());
            shape[d] = match rng.below(4) {
                0 => 0,
                1 => shape[d] + 1,
                2 => shape[d].saturating_sub(1),
                _ => shape[d] * 2,
            };
        }
        1 if kind == "F64" && bytes.len() >= 8 => {
            const VALUES: [f64; 8] =
                [0.0, -1.0, 1e308, -1e308, 5e-324, f64::NAN, f64::INFINITY, 1e9];
            let at = rng.below(bytes.len() / 8) * 8;
            bytes[at..at + 8].copy_from_slice(&rng.of(&VALUES).to_le_bytes());
        }
        _ if kind != "F64" && bytes.len() >= 4 => {
            let at = rng.below(bytes.len() / 4) * 4;
            let value = *rng.of(&[0_u32, 1, 2, 44, 45, 1 << 31, u32::MAX]);
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        _ => {}
    }
}

/// Values of one tree, depth first.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(all) => all.iter().map(count).sum(),
        Value::Object(all) => all.values().map(count).sum(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a mut Value, n: &mut usize) -> Option<&'a mut Value> {
    if *n == 0 {
        return Some(value);
    }
    *n -= 1;
    match value {
        Value::Array(all) => all.iter_mut().find_map(|v| nth(v, n)),
        Value::Object(all) => all.values_mut().find_map(|v| nth(v, n)),
        _ => None,
    }
}

fn change_value(model: &mut Value, rng: &mut Rng) {
    let all = count(model);
    let other = {
        let mut n = rng.below(all);
        nth(model, &mut n).map(|v| v.clone())
    };
    let mut n = 1 + rng.below(all - 1);
    let Some(value) = nth(model, &mut n) else { return };
    match (&mut *value, rng.below(6)) {
        (Value::Array(list), 0..=2) if !list.is_empty() => {
            let (a, b) = (rng.below(list.len()), rng.below(list.len()));
            match rng.below(4) {
                0 => drop(list.remove(a)),
                1 => list.push(list[a].clone()),
                2 => list.swap(a, b),
                _ => list.clear(),
            }
        }
        (Value::Number(_), 0..=3) => {
            *value = serde_json::from_str(&number(rng)).unwrap_or(Value::Null);
        }
        (Value::Bool(b), _) => *b = !*b,
        (_, 0 | 5) => *value = other.unwrap_or(Value::Null),
        (_, 4) => *value = Value::Null,
        // A value of the same kind from elsewhere.
        _ => {
            let same = |v: &Value| std::mem::discriminant(v) == std::mem::discriminant(&*value);
            if let Some(other) = other.filter(same) {
                *value = other;
            }
        }
    }
}
