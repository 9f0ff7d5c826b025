//! What people write in files of settings and how it is told back to them: lines, sizes, unknown keys, remarks.

/// The line, from 1, in which this byte stands.
pub fn line(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|b| *b == b'\n').count()
}

/// Serde's sentence about an unknown key, in ours with a suggestion; other sentences as they are.
pub fn explain(message: &str) -> String {
    let words: Vec<&str> = message.split('`').collect();
    match (words.first(), words.get(1)) {
        (Some(&"unknown field "), Some(name)) => {
            let known: Vec<&str> = words.iter().skip(3).step_by(2).copied().collect();
            cokernel::Error::unknown("key", *name, known).to_string()
        }
        (Some(&"unknown variant "), Some(name)) => {
            let known: Vec<&str> = words.iter().skip(3).step_by(2).copied().collect();
            cokernel::Error::unknown("word", *name, known).to_string()
        }
        _ => plain(message),
    }
}

/// What Serde calls by the names of Rust, in words.
fn plain(message: &str) -> String {
    let mut text = message.replace('\n', " ");
    for (rust, words) in [
        ("expected usize", "expected a whole number of at least 0"),
        ("expected u64", "expected a whole number of at least 0"),
        ("expected f64", "expected a number"),
        ("expected a sequence", "expected a list, as [\"linear\"]"),
        ("expected path string", "expected a file name in quotes"),
        ("expected a map", "expected a table, as [views]"),
    ] {
        text = text.replace(rust, words);
    }
    text
}

/// A number of bytes: `2GiB`, `500 MB`, `1048576`.
pub fn bytes(text: &str) -> Option<usize> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..split].trim().parse().ok()?;
    let unit = match text[split..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return None,
    };
    (number > 0.0 && number.is_finite()).then_some((number * unit) as usize)
}

/// Each remark once. Of those that differ only in their numbers, as from split to split, the first.
pub fn once<'a>(notes: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut kept: Vec<(String, &String, bool)> = Vec::new();
    for note in notes {
        let key = without_numbers(note);
        match kept.iter_mut().find(|k| k.0 == key) {
            Some((_, first, others)) => *others |= *first != note,
            None => kept.push((key, note, false)),
        }
    }
    let text = |(_, note, others): (String, &String, bool)| match others {
        true => format!("{note}; with other numbers in other splits"),
        false => note.clone(),
    };
    kept.into_iter().map(text).collect()
}

/// The text with `#` for every number that stands alone: `1.5e-3`, not the 1 of `view1`.
fn without_numbers(text: &str) -> String {
    let words = text.split_inclusive(|c: char| " =(),;:%".contains(c));
    let number =
        |word: &str| word.trim_end_matches(|c: char| " =(),;:%".contains(c)).parse::<f64>();
    words.map(|word| if number(word).is_ok() { "#" } else { word }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(bytes("2GiB"), Some(2 << 30));
        assert_eq!(bytes("500 MB"), Some(500_000_000));
        assert_eq!(bytes("1024"), Some(1024));
        assert_eq!(bytes("-1"), None);
        assert_eq!(bytes("2 elephants"), None);
    }

    #[test]
    fn remarks_that_differ_in_numbers_are_said_once() {
        let notes = ["λ = 1e-2 (loss 0.8)", "x", "λ = 2e-2 (loss 0.7)", "view1", "view2", "x"];
        let notes = notes.map(String::from);
        let kept = once(&notes);
        let first = "λ = 1e-2 (loss 0.8); with other numbers in other splits";
        assert_eq!(kept, [first, "x", "view1", "view2"]);
    }
}
