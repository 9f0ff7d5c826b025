use super::*;
use std::collections::BTreeSet;

/// Classes of 13, 8 and 5 instances, every seventh label missing.
fn labels() -> Labels {
    let texts: Vec<String> = (0..30)
        .map(|i| match i {
            i if i % 7 == 6 => String::new(),
            i if i % 6 < 3 => "a".into(),
            i if i % 6 < 5 => "b".into(),
            _ => "c".into(),
        })
        .collect();
    Labels::from_texts(&texts)
}

#[test]
fn folds_partition_the_labelled_rows_and_keep_the_classes() {
    let labels = labels();
    let splits = Protocol::KFold { folds: 3, repeats: 2 }.split(&labels, 5).unwrap().splits;
    assert_eq!(splits.len(), 6);
    let known: BTreeSet<usize> = labels.known_rows().into_iter().collect();
    for round in splits.chunks(3) {
        let tested: Vec<usize> = round.iter().flat_map(|s| s.test.clone()).collect();
        assert_eq!(tested.len(), known.len());
        assert_eq!(tested.into_iter().collect::<BTreeSet<_>>(), known);
        for s in round {
            let both: BTreeSet<usize> = s.train.iter().chain(&s.test).copied().collect();
            assert_eq!(both, known);
            assert_eq!(s.train.len() + s.test.len(), known.len());
            assert!(s.test.len().abs_diff(known.len() / 3) <= 1);
            for c in 0..3 {
                let of = |rows: &[usize]| {
                    let picked = labels.select(rows).classes().unwrap();
                    picked.codes.iter().filter(|x| **x == c).count()
                };
                assert!(of(&s.test).abs_diff(of(&labels.known_rows()) / 3) <= 1);
            }
        }
    }
    assert_ne!(splits[..3], splits[3..]);
}

#[test]
fn random_splits_are_stratified_and_seeded() {
    let labels = labels();
    let protocol = Protocol::Shuffle { repeats: 4, test: 0.3 };
    let splits = protocol.split(&labels, 1).unwrap();
    assert_eq!(splits, protocol.split(&labels, 1).unwrap());
    assert_ne!(splits.splits, protocol.split(&labels, 2).unwrap().splits);
    for s in &splits.splits {
        let counts = labels.select(&labels.known_rows()).classes().unwrap().counts();
        let tested = labels.select(&s.test).classes().unwrap().counts();
        for (all, part) in counts.iter().zip(&tested) {
            assert_eq!(*part, (0.3 * *all as f64).round() as usize);
        }
        assert!(s.test.iter().all(|i| !s.train.contains(i)));
    }
    assert_eq!(Protocol::FiveByTwo.split(&labels, 0).unwrap().splits.len(), 10);
}

#[test]
fn refusals() {
    let labels = Labels::from_texts(&["a", "a", "a", "b", "b", "b", "b"]);
    let say = |p: Protocol| p.split(&labels, 0).unwrap_err().to_string();
    assert_eq!(
        say(Protocol::KFold { folds: 4, repeats: 1 }),
        "labels: class 'a' has 3 labelled instances, but 4-fold cross-validation needs at \
         least 4 of each class; use fewer folds"
    );
    // Without 'c' two classes are left.
    let three = Labels::from_texts(&["a", "a", "a", "b", "b", "b", "c"]);
    let said = Protocol::KFold { folds: 3, repeats: 1 }.split(&three, 0).unwrap_err().to_string();
    assert!(said.contains("class 'c' has 1 labelled instance, but"), "{said}");
    assert!(said.ends_with("; use fewer folds, or leave this class out"), "{said}");
    assert_eq!(
        say(Protocol::KFold { folds: 1, repeats: 1 }),
        "parameter 'folds': expected at least 2, found 1"
    );
    assert_eq!(
        say(Protocol::Shuffle { repeats: 1, test: 1.0 }),
        "parameter 'test': expected a fraction between 0 and 1, found 1"
    );
    assert_eq!(
        say(Protocol::Shuffle { repeats: 0, test: 0.5 }),
        "parameter 'repeats': expected at least 1, found 0"
    );
    assert!(Protocol::FiveByTwo.split(&Labels::Absent(1), 0).is_err());
    // Without classes every instance is of one kind.
    let numbers = Labels::Real((0..7).map(|i| (i != 2).then_some(0.5)).collect());
    let folds = Protocol::KFold { folds: 3, repeats: 1 }.split(&numbers, 0).unwrap();
    let mut tested: Vec<usize> = folds.splits.iter().flat_map(|s| s.test.clone()).collect();
    tested.sort_unstable();
    assert_eq!(tested, [0, 1, 3, 4, 5, 6]);
    // They were listed until the memory was full.
    let many = 1_000_000_000_000;
    for protocol in [
        Protocol::KFold { folds: 2, repeats: many },
        Protocol::Shuffle { repeats: many, test: 0.5 },
    ] {
        let e = say(protocol);
        assert!(
            e.starts_with("parameter 'repeats': expected at most ") && e.contains("7 inst"),
            "{e}"
        );
    }
}

#[test]
fn a_reserved_test_set_and_halves_of_the_rest() {
    let labels = labels();
    let splits = Protocol::Reserved { test: 1.0 / 3.0 }.split(&labels, 2).unwrap();
    assert_eq!(splits.splits.len(), 10);
    let known: BTreeSet<usize> = labels.known_rows().into_iter().collect();
    for pair in splits.splits.chunks(2) {
        assert_eq!((&pair[0].train, &pair[0].validation), (&pair[1].validation, &pair[1].train));
        for s in pair {
            assert_eq!(s.test, splits.splits[0].test);
            let all = s.train.iter().chain(&s.validation).chain(&s.test).copied();
            assert_eq!(all.clone().count(), known.len());
            assert_eq!(all.collect::<BTreeSet<_>>(), known);
        }
    }
    let inner = splits.validating().unwrap();
    assert_eq!(inner.splits[3].test, splits.splits[3].validation);
    assert!(Protocol::FiveByTwo.split(&labels, 2).unwrap().validating().is_none());
}

#[test]
fn a_number_of_each_class() {
    let labels = labels();
    let splits = Protocol::PerClass { train: 3, repeats: 4 }.split(&labels, 2).unwrap();
    for s in &splits.splits {
        assert_eq!(labels.select(&s.train).classes().unwrap().counts(), [3, 3, 3]);
        assert_eq!(s.train.len() + s.test.len(), labels.known_rows().len());
    }
    assert_ne!(splits.splits[0], splits.splits[1]);
    let said = Protocol::PerClass { train: 5, repeats: 1 }.split(&labels, 0).unwrap_err();
    assert!(said.to_string().contains("needs at least 6 of each class; use fewer"), "{said}");
}

#[test]
fn groups_stay_together_and_classes_are_kept() {
    let labels = Labels::from_texts(&(0..120).map(|i| ["a", "b"][i % 2]).collect::<Vec<_>>());
    let groups: Vec<String> = (0..120).map(|i| format!("g{}", i / 5)).collect();
    for protocol in [
        Protocol::KFold { folds: 4, repeats: 2 },
        Protocol::Shuffle { repeats: 5, test: 0.25 },
        Protocol::FiveByTwo,
        Protocol::Reserved { test: 0.25 },
    ] {
        let splits = protocol.split_groups(&labels, &groups, 3).unwrap();
        assert!(splits.groups.is_some());
        assert_eq!(splits, protocol.split_groups(&labels, &groups, 3).unwrap());
        for s in &splits.splits {
            let of = |rows: &[usize]| rows.iter().map(|i| &groups[*i]).collect::<BTreeSet<_>>();
            let sides = [of(&s.train), of(&s.test), of(&s.validation)];
            assert!(sides[0].is_disjoint(&sides[1]) && sides[0].is_disjoint(&sides[2]));
            assert!(sides[1].is_disjoint(&sides[2]));
            let counts = labels.select(&s.test).classes().unwrap().counts();
            assert!(counts[0].abs_diff(counts[1]) <= 3, "{protocol}: {counts:?}");
        }
        if let Protocol::KFold { .. } = protocol {
            let sizes: Vec<usize> = splits.splits.iter().map(|s| s.test.len()).collect();
            assert!(sizes.iter().all(|n| n.abs_diff(30) <= 5), "{sizes:?}");
        }
    }
    let two: Vec<String> = (0..120).map(|i| format!("g{}", i % 2)).collect();
    let say = |p: Protocol, g: &[String]| p.split_groups(&labels, g, 0).unwrap_err().to_string();
    let folds = Protocol::KFold { folds: 2, repeats: 1 };
    assert!(say(folds, &two).contains("has no instance of some class"));
    assert!(say(Protocol::KFold { folds: 3, repeats: 1 }, &two).contains("there are 2 groups"));
    assert!(say(folds, &groups[1..]).contains("one for each instance"));
}

#[test]
fn splits_are_saved_and_read_for_the_same_labels_only() {
    let labels = labels();
    let splits = Protocol::Reserved { test: 0.3 }.split(&labels, 8).unwrap().named("mine");
    let text = splits.to_json().unwrap();
    let read = Splits::from_json(&text).unwrap();
    assert_eq!(read, splits);
    read.check(&labels, None).unwrap();
    // Other names of the same classes are the same labels; another order is not.
    let Labels::Classes { codes, .. } = &labels else { panic!() };
    let renamed: Vec<String> =
        codes.iter().map(|c| c.map_or(String::new(), |c| format!("class {}", 9 - c))).collect();
    read.check(&Labels::from_texts(&renamed), None).unwrap();
    // Without labels the number of instances is what is known.
    read.check(&Labels::Absent(30), None).unwrap();
    assert_eq!(read.instances(), 30);
    let mut turned = renamed.clone();
    turned.swap(0, 3);
    let refused = |text: &str, labels: &Labels, part: &str| {
        let said = Splits::from_json(text).and_then(|s| s.check(labels, None));
        let said = said.unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    };
    refused(&text, &Labels::from_texts(&turned), "other labels, or of the same in another order");
    refused(&text, &labels.select(&(0..29).collect::<Vec<_>>()), "made of 30 instances, found 29");
    refused("{}", &labels, "expected what `cokernel splits` writes");
    refused(&text[..text.len() / 2], &labels, "expected what");
    refused(&text.replace("\"format\":1", "\"format\":2"), &labels, "newer");
    let row = splits.splits[0].train[0];
    let twice = text.replacen(&format!("[{row},"), &format!("[{row},{row},"), 1);
    refused(&twice, &labels, "is there twice");
    let beyond = text.replacen(&format!("[{row},"), "[77,", 1);
    refused(&beyond, &labels, "row 77 does not exist");
}

#[test]
fn a_file_has_as_many_splits_as_its_protocol_makes() {
    let labels = labels();
    let splits = Protocol::KFold { folds: 3, repeats: 1 }.split(&labels, 8).unwrap().transductive();
    let text = splits.to_json().unwrap();
    let read = Splits::from_json(&text).unwrap();
    assert_eq!((&read, read.how().as_str()), (&splits, "3-fold cross-validation, transductive"));
    let said =
        Splits::from_json(&text.replace("\"folds\":3", "\"folds\":4")).unwrap_err().to_string();
    assert!(said.contains("4-fold cross-validation makes 4 splits, found 3"), "{said}");
    // Made without labels, they serve any labels of as many instances that are known where they are tested.
    let column: Vec<String> = (0..30).map(|i| ["a", "b"][i % 2].to_string()).collect();
    let bare = Splits::of_column(&column, &Labels::Absent(30)).unwrap();
    let read = Splits::from_json(&bare.to_json().unwrap()).unwrap();
    let said = read.check(&labels, None).unwrap_err().to_string();
    assert!(said.contains("row 6 is to be tested and has no label"), "{said}");
    read.check(&Labels::Real(vec![Some(1.0); 30]), None).unwrap();
}

#[test]
fn columns_say_splits() {
    let labels = labels();
    let words = |f: &dyn Fn(usize) -> &'static str| -> Vec<String> {
        (0..30).map(|i| f(i).to_string()).collect()
    };
    let one =
        Splits::of_column(&words(&|i| if i < 20 { "train" } else { "test" }), &labels).unwrap();
    assert_eq!(one.splits.len(), 1);
    assert!(one.splits[0].test.iter().all(|i| *i >= 20 && i % 7 != 6));
    let folds = Splits::of_column(&words(&|i| ["x", "y", ""][i % 3]), &labels).unwrap();
    assert_eq!(folds.splits.len(), 2);
    assert_eq!(folds.splits[0].train, folds.splits[1].test);
    let said = Splits::of_column(&words(&|_| "x"), &labels).unwrap_err().to_string();
    assert!(said.contains("at least two folds, found 'x' only"), "{said}");
    assert!(Splits::of_column(&words(&|_| "train"), &labels).is_err());
    let given = Splits::given(
        vec![Split { train: vec![3, 1], test: vec![6], validation: Vec::new() }],
        &labels,
    );
    assert!(given.unwrap_err().to_string().contains("row 6 is to be tested and has no label"));
}

#[test]
fn names_of_instances_are_known_again_and_sides_are_no_folds() {
    let labels = labels();
    let splits = Protocol::FiveByTwo.split(&labels, 1).unwrap();
    let ids: Vec<String> = (0..30).map(|i| format!("i{i}")).collect();
    let mut turned = ids.clone();
    // Two of the same class.
    turned.swap(0, 1);
    let splits = splits.of_ids(&ids);
    let read = Splits::from_json(&splits.to_json().unwrap()).unwrap();
    assert_eq!(read, splits);
    read.check(&labels, Some(&ids)).unwrap();
    read.check(&labels, None).unwrap();
    let said = read.check(&labels, Some(&turned)).unwrap_err().to_string();
    assert!(said.contains("by their ids"), "{said}");
    let column = |words: [&str; 3]| (0..30).map(|i| words[i % 3].to_string()).collect::<Vec<_>>();
    let one = Splits::of_column(&column(["Train", "TEST", "val"]), &labels).unwrap();
    assert_eq!((one.splits.len(), one.splits[0].validation.is_empty()), (1, false));
    let said = Splits::of_column(&column(["train", "tset", "test"]), &labels).unwrap_err();
    assert!(said.to_string().contains("found 'tset' beside these"), "{said}");
    assert_eq!(Splits::of_column(&column(["x", "NA", "y"]), &labels).unwrap().splits.len(), 2);
    let mut groups: Vec<String> = (0..30).map(|i| format!("g{}", i / 2)).collect();
    groups[4] = String::new();
    let said = Protocol::FiveByTwo.split_groups(&labels, &groups, 0).unwrap_err().to_string();
    assert!(said.contains("instance 4 has no group"), "{said}");
}

#[test]
fn training_sets_without_a_class_are_refused_and_digests_tell_rows() {
    let labels = labels();
    let column = |f: &dyn Fn(usize) -> &'static str| (0..30).map(|i| f(i).to_string()).collect();
    // Class 'c' has the rows 5, 11, 17, 23 and 29.
    let lacking: Vec<String> = column(&|i| if i % 6 == 5 || i < 12 { "test" } else { "train" });
    let one = Splits::of_column(&lacking, &labels).unwrap();
    let read = Splits::from_json(&one.to_json().unwrap()).unwrap();
    read.check(&labels, None).unwrap();
    let said = read.check_classes(&labels).unwrap_err().to_string();
    assert_eq!(said, "labels: split 0: the training set has no instance of class 'c'");
    let folds = Protocol::KFold { folds: 3, repeats: 1 }.split(&labels, 1).unwrap();
    folds.check_classes(&labels).unwrap();
    one.check_classes(&Labels::Real(vec![Some(1.0); 30])).unwrap();
    let again = Splits::from_json(&folds.to_json().unwrap()).unwrap();
    assert_eq!((again.digest(), folds.digest().len()), (folds.digest(), 16));
    let other = Protocol::KFold { folds: 3, repeats: 1 }.split(&labels, 2).unwrap();
    assert_ne!(other.digest(), folds.digest());
    let many =
        one.to_json().unwrap().replace("\"instances\":30", "\"instances\":1000000000000000000");
    let said = Splits::from_json(&many).unwrap_err().to_string();
    assert!(said.contains("expected at most 4294967295 instances, found 10000"), "{said}");
}
