#![allow(clippy::unwrap_used)]

use super::*;

fn parse(text: &str, options: &ReadOptions) -> Result<TableFile> {
    parse_csv(text.as_bytes(), Path::new("a.csv"), options)
}

fn values(text: &str) -> (usize, usize, Vec<f64>) {
    match parse(text, &ReadOptions::default()).unwrap().table {
        Table::Dense(m) => (m.rows(), m.cols(), m.values().to_vec()),
        other => panic!("{other:?}"),
    }
}

fn error(text: &str, options: &ReadOptions) -> String {
    parse(text, options).unwrap_err().to_string()
}

/// One long line once took sixteen times its length in memory.
#[test]
fn lines_have_an_end() {
    let text = format!("1,2\n{}", ",".repeat(MOST_FIELDS));
    let e = parse_csv(text.as_bytes(), Path::new("a.csv"), &ReadOptions::default()).unwrap_err();
    let expected = "a.csv, line 2: the line has more than 16777216 fields; expected one line for \
                    each instance";
    assert_eq!(e.to_string(), expected);
}

#[test]
fn every_delimiter_and_line_ending() {
    let expected = (2, 2, vec![1.0, -2.5, 3e2, 0.25]);
    for text in [
        "1,-2.5\n3e2,.25\n",
        "1\t-2.5\n3e2\t.25",
        "1; -2.5 \r\n 3e2;+0.25\r\n",
        "  1  -2.5\n\n3e2 \t .25\n\n",
        "\n\n1,-2.5\n   \n3e2,.25\n\n",
        "\u{feff}1,-2.5\n3e2,0.25",
        "\"1\",\"-2.5\"\n\"3e2\",\".25\"\n",
    ] {
        assert_eq!(values(text), expected, "{text:?}");
    }
    assert_eq!(values("1\n2\n"), (2, 1, vec![1.0, 2.0]));
}

#[test]
fn headers() {
    let names = |text: &str, options: &ReadOptions| parse(text, options).unwrap().columns;
    let auto = ReadOptions::default();
    let named = Some(vec!["a".to_string(), "b, c".to_string()]);
    assert_eq!(names("a,\"b, c\"\n1,2\n", &auto), named);
    assert_eq!(names("# a,\"b, c\"\n1,2\n", &auto), named);
    assert_eq!(names("1,2\n3,4\n", &auto), None);
    let no = ReadOptions { header: Header::No, ..Default::default() };
    assert!(error("a,b\n1,2\n", &no).starts_with("a.csv, line 1, column 1: 'a' is not a number"));
    let text = "0,1,2\n5,6,7\n";
    assert!(parse(text, &auto).unwrap().notes[0].starts_with("the first line counts"));
    let yes = ReadOptions { header: Header::Yes, ..Default::default() };
    let file = parse(text, &yes).unwrap();
    assert_eq!((file.columns.unwrap().concat(), file.notes.len()), ("012".to_string(), 0));
    // R leaves out the name of the first column.
    let r = ReadOptions { id_column: Some("1".into()), ..Default::default() };
    let file = parse("x y\np 1 2\nq 3 4\n", &r).unwrap();
    assert_eq!(file.columns.unwrap(), ["x", "y"]);
    assert_eq!(file.ids.unwrap(), ["p", "q"]);
    for text in [",a,b\n0,1,2\n1,3,4\n", "a b\n1 1 2\n2 3 4\n"] {
        let e = error(text, &auto);
        assert!(e.starts_with("a.csv, line 1, column 1: the first column has no name"), "{e}");
    }
}

#[test]
fn ids_and_labels() {
    let options = ReadOptions {
        id_column: Some("name".into()),
        label_column: Some("3".into()),
        ..Default::default()
    };
    let file = parse("x,name,kind,y\n1,p,good,2\n3,q,bad,4\n", &options).unwrap();
    assert_eq!(file.ids.unwrap(), ["p", "q"]);
    assert_eq!(file.labels.unwrap(), ["good", "bad"]);
    assert_eq!(file.columns.unwrap(), ["x", "y"]);
    let options = ReadOptions {
        id_column: Some("2".into()),
        label_column: Some("1".into()),
        ..Default::default()
    };
    let file = parse("good,p,1\nbad,q,2\n", &options).unwrap();
    assert_eq!((file.columns, file.table.rows()), (None, 2));
}

#[test]
fn missing_rows() {
    let options = ReadOptions { missing_rows: true, ..Default::default() };
    let file = parse("1,2\n,\nNaN,na\n3,4\n", &options).unwrap();
    assert_eq!(file.present.unwrap(), [true, false, false, true]);
    let e = error("1,2\n1,\n", &options);
    assert!(e.ends_with("only a row without any value counts as missing"), "{e}");
}

#[test]
fn lines_are_counted_across_blank_ones_and_quotes() {
    let auto = ReadOptions::default();
    assert!(error("1,2\n\n\r\n3,x\n", &auto).starts_with("a.csv, line 4, column 2: 'x'"));
    assert!(error("\n\n1,2\n3,x\n", &auto).starts_with("a.csv, line 4, column 2: 'x'"));
    assert!(error("\"a\nb\",c\n1,2\n3,x\n", &auto).starts_with("a.csv, line 4, column 2"));
    assert!(error("1 2\n\n3 x\n", &auto).starts_with("a.csv, line 3, column 2: 'x'"));
}

#[test]
fn a_similarity_may_lack_rows_and_their_columns() {
    let read = |text: &str, similarity| {
        let options = ReadOptions { similarity, missing_rows: true, ..Default::default() };
        parse(text, &options)
    };
    let text = "1,NA,2\nNA,NA,NA\n2,NA,3\n";
    assert_eq!(read(text, true).unwrap().present, Some(vec![true, false, true]));
    assert!(read(text, false).unwrap_err().to_string().starts_with("a.csv, line 1, column 2"));
    let hole = read("1,NA,2\nNA,NA,NA\n2,4,3\n", true).unwrap_err().to_string();
    assert!(hole.starts_with("a.csv, line 1, column 2"), "{hole}");
    // New instances, of which the first lacks the view, beside as many of training, of which the second does.
    let elsewhere = read("NA,NA,NA\n1,NA,2\n2,NA,3\n", true).unwrap();
    assert_eq!(elsewhere.present, Some(vec![false, true, true]));
}
