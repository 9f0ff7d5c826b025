//! Numbers that are not finite in JSON, which has no form for them: the words `inf`, `-inf` and `nan`.
//!
//! Whatever is written as JSON for others is wrapped in [`Told`]; [`number`] reads such a number back, and [`Real`] is one
//! for serde. Parameters that users give are finite, and so is everything in a model file.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// A value whose numbers that are not finite are written as words.
///
/// ```
/// let gap = cokernel::json::Told(vec![0.5, f64::INFINITY]);
/// assert_eq!(serde_json::to_string(&gap)?, r#"[0.5,"inf"]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Told<T>(pub T);

/// The same with a zero byte before each word, for readers to whom other texts of the same kind matter (the Python
/// package).
#[derive(Debug, Clone, Copy)]
pub struct Marked<T>(pub T);

/// A number as it may stand in JSON: a word where it is not finite. What older versions wrote, null, is not a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Real(pub f64);

/// The number that JSON has here.
pub fn number(value: &serde_json::Value) -> Option<f64> {
    value.as_f64().or_else(|| of_word(value.as_str()?))
}

fn of_word(word: &str) -> Option<f64> {
    match word {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    }
}

/// Words for infinity, minus infinity and what is no number.
type Words = [&'static str; 3];
const PLAIN: Words = ["inf", "-inf", "nan"];
const MARKED: Words = ["\0inf", "\0-inf", "\0nan"];

impl<T: Serialize> Serialize for Told<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Writer(to, PLAIN))
    }
}

impl<T: Serialize> Serialize for Marked<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Writer(to, MARKED))
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(f64),
            Word(String),
            Nothing(()),
        }
        match Form::deserialize(from)? {
            Form::Number(v) => Ok(Real(v)),
            Form::Nothing(()) => Ok(Real(f64::NAN)),
            Form::Word(word) => of_word(&word).map(Real).ok_or_else(|| {
                serde::de::Error::custom(format!("expected a number, found \"{word}\""))
            }),
        }
    }
}

/// Numbers, for `deserialize_with`.
///
/// # Errors
/// What is no list of numbers.
pub fn reals<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    Ok(Vec::<Real>::deserialize(from)?.into_iter().map(|r| r.0).collect())
}

/// A number or nothing, for `deserialize_with`.
///
/// # Errors
/// What is no number.
pub fn maybe<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<Real>::deserialize(from)?.map(|r| r.0))
}

/// A serializer, or a part of one, that is given words in place of numbers that are not finite.
struct Writer<S>(S, Words);

/// A part of the value that is written.
struct Part<'a, T: ?Sized>(&'a T, Words);

impl<T: Serialize + ?Sized> Serialize for Part<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Writer(to, self.1))
    }
}

macro_rules! as_it_is {
    ($($name:ident: $kind:ty),*) => {
        $(fn $name(self, v: $kind) -> Result<S::Ok, S::Error> { self.0.$name(v) })*
    };
}

impl<S: Serializer> Serializer for Writer<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Writer<S::SerializeSeq>;
    type SerializeTuple = Writer<S::SerializeTuple>;
    type SerializeTupleStruct = Writer<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Writer<S::SerializeTupleVariant>;
    type SerializeMap = Writer<S::SerializeMap>;
    type SerializeStruct = Writer<S::SerializeStruct>;
    type SerializeStructVariant = Writer<S::SerializeStructVariant>;

    as_it_is! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str
    }

    fn serialize_f64(self, v: f64) -> Result<S::Ok, S::Error> {
        let [more, less, none] = self.1;
        match v {
            v if v.is_finite() => self.0.serialize_f64(v),
            v if v.is_nan() => self.0.serialize_str(none),
            v => self.0.serialize_str(if v > 0.0 { more } else { less }),
        }
    }

    fn serialize_f32(self, v: f32) -> Result<S::Ok, S::Error> {
        if v.is_finite() { self.0.serialize_f32(v) } else { self.serialize_f64(v.into()) }
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_none()
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, v: &T) -> Result<S::Ok, S::Error> {
        self.0.serialize_some(&Part(v, self.1))
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        v: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_struct(name, &Part(v, self.1))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        v: &T,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_newtype_variant(name, index, variant, &Part(v, self.1))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        Ok(Writer(self.0.serialize_seq(len)?, self.1))
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        Ok(Writer(self.0.serialize_tuple(len)?, self.1))
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        Ok(Writer(self.0.serialize_tuple_struct(name, len)?, self.1))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        Ok(Writer(self.0.serialize_tuple_variant(name, index, variant, len)?, self.1))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        Ok(Writer(self.0.serialize_map(len)?, self.1))
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        Ok(Writer(self.0.serialize_struct(name, len)?, self.1))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        Ok(Writer(self.0.serialize_struct_variant(name, index, variant, len)?, self.1))
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! parts {
    ($($of:ident: $add:ident),*) => {
        $(impl<S: $of> $of for Writer<S> {
            type Ok = S::Ok;
            type Error = S::Error;
            fn $add<T: Serialize + ?Sized>(&mut self, v: &T) -> Result<(), S::Error> {
                self.0.$add(&Part(v, self.1))
            }
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

parts! {
    SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
}

impl<S: SerializeMap> SerializeMap for Writer<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.0.serialize_key(key)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, v: &T) -> Result<(), S::Error> {
        self.0.serialize_value(&Part(v, self.1))
    }
    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

macro_rules! fields {
    ($($of:ident),*) => {
        $(impl<S: $of> $of for Writer<S> {
            type Ok = S::Ok;
            type Error = S::Error;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                v: &T,
            ) -> Result<(), S::Error> {
                self.0.serialize_field(key, &Part(v, self.1))
            }
            fn skip_field(&mut self, key: &'static str) -> Result<(), S::Error> {
                self.0.skip_field(key)
            }
            fn end(self) -> Result<S::Ok, S::Error> {
                self.0.end()
            }
        })*
    };
}

fields! { SerializeStruct, SerializeStructVariant }

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(serde::Serialize, serde::Deserialize, Debug, Clone, PartialEq)]
    struct Inner {
        #[serde(deserialize_with = "maybe")]
        gap: Option<f64>,
        #[serde(deserialize_with = "reals")]
        trace: Vec<f64>,
        name: String,
    }

    #[derive(serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One(f64),
        Two(f64, u8),
        Named { v: f32 },
        Unit,
    }

    const INF: f64 = f64::INFINITY;

    #[test]
    fn numbers_that_are_not_finite_are_words_and_read_back() {
        let one = Inner { gap: Some(INF), trace: vec![-INF, 0.1, 2.0], name: "inf".into() };
        let text = serde_json::to_string(&Told(&one)).unwrap();
        assert_eq!(text, r#"{"gap":"inf","trace":["-inf",0.1,2.0],"name":"inf"}"#);
        assert_eq!(serde_json::from_str::<Inner>(&text).unwrap(), one);
        let value = serde_json::json!({ "a": Told(&one), "b": Told(f64::NAN) });
        assert_eq!(number(&value["a"]["gap"]), Some(INF));
        assert_eq!(number(&value["a"]["trace"][1]), Some(0.1));
        assert!(number(&value["b"]).unwrap().is_nan());
        assert_eq!((number(&value["a"]), number(&"x".into())), (None, None));
        let back: Inner = serde_json::from_value(value["a"].clone()).unwrap();
        assert_eq!(back, one);
        let old = r#"{"gap":null,"trace":[null,1],"name":""}"#;
        let back: Inner = serde_json::from_str(old).unwrap();
        assert!(back.gap.is_none() && back.trace[0].is_nan() && back.trace[1] == 1.0);
        assert!(serde_json::from_str::<Inner>(&old.replace("null,1", "\"a\"")).is_err());
    }

    /// Everything else is written as without the wrapper.
    #[test]
    fn other_values_stay_as_they_are() {
        let map: BTreeMap<u32, Vec<Kind>> = [
            (1, vec![Kind::One(1.5), Kind::Two(0.1, 3), Kind::Named { v: 0.5 }, Kind::Unit]),
            (2, Vec::new()),
        ]
        .into();
        let all = (map, Some("text"), None::<f64>, 'c', (1_i64, -2_i8, true), [1e300, -0.0], ());
        let plain = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::to_string(&Told(&all)).unwrap(), plain);
        assert_eq!(serde_json::to_string(&Marked(&all)).unwrap(), plain);
        let text = |k: Kind| serde_json::to_string(&Told(k)).unwrap();
        assert_eq!(text(Kind::One(INF)), r#"{"one":"inf"}"#);
        assert_eq!(text(Kind::Two(-INF, 1)), r#"{"two":["-inf",1]}"#);
        assert_eq!(text(Kind::Named { v: f32::NAN }), r#"{"named":{"v":"nan"}}"#);
        let marked = serde_json::to_string(&Marked([INF])).unwrap();
        assert_eq!(marked, "[\"\\u0000inf\"]");
    }
}
