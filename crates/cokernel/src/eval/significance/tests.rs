use super::ranks::ranks;
use super::*;

mod printed;

#[test]
fn critical_values_are_those_of_the_printed_table() {
    // Demšar 2006, Table 5(a): q for 2 to 10 methods; CD = q where k(k+1) = 6N.
    let five = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
    let ten = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920];
    for (alpha, table) in [(0.05, five), (0.10, ten)] {
        for (k, q) in (2..).zip(table) {
            let unit = (k as f64 * (k + 1) as f64 / 6.0).sqrt();
            let found = nemenyi(k, 1, alpha).unwrap() / unit;
            assert!((found - q).abs() < 1e-3, "{k} methods: {found}, printed {q}");
        }
    }
}

#[test]
fn the_worked_example_of_demsar() {
    // Table 6 there: mean ranks 3.143, 2.000, 2.893, 1.964 over 14 data sets.
    let cd = nemenyi(4, 14, 0.05).unwrap();
    assert!((cd - 1.25).abs() < 0.01, "{cd}");
}

#[test]
fn ranks_of_ties_are_means_and_methods_alike_do_not_differ() {
    assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    let alike = friedman(&[vec![0.5; 3], vec![0.7; 3]]).unwrap();
    assert_eq!((alike.mean_ranks, alike.chi_squared), (vec![2.0; 3], 0.0));
    let clear = friedman(&[vec![0.9, 0.5], vec![0.8, 0.1], vec![0.3, 0.2]]).unwrap();
    assert_eq!((clear.mean_ranks, clear.f_p), (vec![1.0, 2.0], 0.0));
    assert_eq!(wilcoxon(&[0.0, 0.0]).unwrap().p, 1.0);
    // All of 5 above: two of the 32 assignments of signs are as extreme.
    assert_eq!(wilcoxon(&[0.1, 0.2, 0.3, 0.4, 0.5]).unwrap().p, 2.0 / 32.0);
}

#[test]
fn differences_without_spread_are_certain_and_none_is_none() {
    let all = corrected_t_test(&[0.25, 0.25, 0.25], 0.5).unwrap();
    assert_eq!((all.p, all.n), (0.0, 3));
    assert_eq!(corrected_t_test(&[0.0, 0.0], 0.5).unwrap().p, 1.0);
    let usual = corrected_t_test(&[0.1, 0.2, 0.4], 0.0).unwrap();
    let corrected = corrected_t_test(&[0.1, 0.2, 0.4], 0.5).unwrap();
    assert!((usual.statistic / corrected.statistic - 2.5_f64.sqrt()).abs() < 1e-12);
    assert!(usual.p < corrected.p);
}

#[test]
fn holm_by_hand() {
    let adjusted = holm(&[0.04, 0.01, 0.03]);
    let expected = [0.06, 0.03, 0.06];
    assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{adjusted:?}");
    assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
}

#[test]
fn refusals() {
    let said = corrected_t_test(&[1.0], 0.0).unwrap_err().to_string();
    assert_eq!(said, "parameter 'differences': expected at least 2, found 1");
    let said = friedman(&[vec![0.1, f64::NAN], vec![0.1, 0.2]]).unwrap_err().to_string();
    assert_eq!(said, "parameter 'scores': expected finite numbers, found NaN");
    assert!(friedman(&[vec![0.1, 0.2], vec![0.1]]).is_err());
    assert!(nemenyi(3, 5, 1.0).is_err() && nemenyi(1, 5, 0.05).is_err());
    assert!(wilcoxon(&[]).is_err() && corrected_t_test(&[1.0, 2.0], -1.0).is_err());
}

#[test]
fn five_replications_of_two_folds_by_hand() {
    // p̄ = 0.02 and s² = 2 · 0.01² in every replication: Σp² = 5 (0.01² + 0.03²), 2Σs² = 10 · 2 · 0.01².
    let f = f_5x2(&[0.01, 0.03].repeat(5)).unwrap();
    assert!((f.statistic - 2.5).abs() < 1e-12, "{}", f.statistic);
    // The critical value of the printed tables, F(0.05; 10, 5) = 4.735.
    let at = |below: f64| f_5x2(&[0.02 - below, 0.02 + below].repeat(5)).unwrap();
    let critical = (0.0004_f64 / (2.0 * 4.735 - 1.0)).sqrt();
    assert!(at(critical * 0.999).p < 0.05 && at(critical * 1.001).p > 0.05);
    assert_eq!((f_5x2(&[0.0; 10]).unwrap().p, f_5x2(&[0.5; 10]).unwrap().p), (1.0, 0.0));
    assert!(f_5x2(&[0.1; 9]).unwrap_err().to_string().contains("expected 10"));
}

#[test]
fn zeros_are_split_or_left_out() {
    // Three zeros: one is left out, ranks of the others 1.5 each, half of it on each side.
    let found = wilcoxon_with_zeros(&[0.0, 0.0, 0.0, 0.3, 0.1, -0.2]).unwrap();
    assert_eq!((found.n, found.statistic), (5, 4.0 + 1.5));
    let z: f64 = (5.5 - 7.5) / (5.0_f64 * 6.0 * 11.0 / 24.0).sqrt();
    // Twice the normal distribution at −0.5394.
    assert!((z + 0.5394).abs() < 1e-4 && (found.p - 0.5896).abs() < 1e-4, "{}", found.p);
    assert_eq!(wilcoxon(&[0.0, 0.0, 0.0, 0.3, 0.1, -0.2]).unwrap().statistic, 2.0);
}

#[test]
fn a_table_of_scores_is_read_and_told() {
    let wide = "data,split,a,b,c\niris,1,0.9,0.8,0.8\niris,2,0.95,0.8,0.9\nwine,1,0.7,0.7,0.6\nwine,2,0.7,0.7,0.65\n";
    let table = ScoreTable::from_csv(wide).unwrap();
    let mut long = String::from("method,data,split,score\n");
    for (data, split, scores) in table.rows.iter().zip([1, 2, 1, 2]).map(|(r, s)| (&r.0, s, &r.1)) {
        for (m, score) in table.methods.iter().zip(scores) {
            long += &format!("{m},{data},{split},{score}\n");
        }
    }
    assert_eq!(ScoreTable::from_csv(&long).unwrap(), table);
    let told = table.compare(&Comparing { baseline: Some("c".into()), ..Comparing::default() });
    let told = told.unwrap();
    let names: Vec<_> = told.versus.iter().map(|v| (&*v.first, v.direct)).collect();
    assert_eq!(names, [("a", [2, 0, 0]), ("b", [1, 0, 1])]);
    assert_eq!(told.ranking.unwrap().mean_ranks, [1.25, 2.25, 2.5]);
    assert_eq!(told.pairs.len(), 4);
    // Errors: the order turns round.
    let lower = table.compare(&Comparing { lower: true, ..Comparing::default() }).unwrap();
    assert_eq!(lower.versus[1].direct, [0, 0, 2]);
    let said = table.compare(&Comparing { paired: Paired::F5x2, ..Comparing::default() });
    assert!(said.unwrap_err().to_string().contains("data set 'iris'"));
    for (wrong, part) in [
        ("a,b\n1,x\n", "column 'b': expected a number, found 'x'"),
        ("a\n1\n", "at least 2 methods"),
        ("a,a\n1,2\n", "two columns 'a'"),
        ("method,data\nm,d\n", "a column 'score'"),
        (
            "method,data,score\nm,d,1\nn,d,1\nm,e,1\n",
            "'n' has no score on split '0' of data set 'e'",
        ),
        ("method,split,score\nm,1,1\nm,1,2\n", "two scores on split '1'"),
        ("a,b\n1\n", "scores: "),
    ] {
        let said = ScoreTable::from_csv(wrong).unwrap_err().to_string();
        assert!(said.contains(part), "{wrong:?}: {said}");
    }
}

#[test]
fn rounding_is_no_difference() {
    let rows = |a: [f64; 3], b: [f64; 3], d: &str| -> Vec<(String, Vec<f64>)> {
        a.into_iter().zip(b).map(|(a, b)| (d.to_string(), vec![a, b])).collect()
    };
    let mut all = rows([0.1, 0.2, 0.3], [0.3, 0.2, 0.1], "x");
    all.extend(rows([0.3, 0.1, 0.2], [0.1, 0.2, 0.3], "y"));
    let table = ScoreTable { methods: vec!["a".into(), "b".into()], rows: all, unread: Vec::new() };
    let told = table.compare(&Comparing::default()).unwrap();
    assert_eq!((told.versus[0].direct, told.versus[0].wilcoxon.unwrap().p), ([0, 2, 0], 1.0));
    assert_eq!(told.ranking.unwrap().mean_ranks, [1.5, 1.5]);
    // 0.3 − 0.2 and 0.2 − 0.1 are ties of size.
    let with_dust = wilcoxon(&[0.3 - 0.2, -(0.2 - 0.1), 0.9 - 0.6]).unwrap();
    assert_eq!(with_dust, wilcoxon(&[1.0, -1.0, 3.0]).unwrap());
    // 0.1 + 0.2 and 0.3 were told apart at p = 0.
    let rounded = "a,b\n0.30000000000000004,0.3\n0.30000000000000004,0.3\n";
    let table = ScoreTable::from_csv(rounded).unwrap();
    let how = Comparing {
        baseline: None,
        alpha: 0.05,
        paired: Paired::T(0.0),
        lower: false,
        with_zeros: false,
    };
    let told = table.compare(&how).unwrap();
    assert_eq!(told.pairs[0].test.as_ref().map(|t| t.p), Some(1.0));
    // Sets of data were taken for splits of one, without a word.
    let long = |column: &str| format!("method,score,{column}\na,1,x\na,2,y\nb,3,x\nb,4,y\n");
    let said = ScoreTable::from_csv(&long("dataset")).unwrap_err().to_string();
    assert!(
        said.ends_with("column 'dataset' would be no data: call it 'data', or leave it out"),
        "{said}"
    );
    assert_eq!(ScoreTable::from_csv(&long("colour")).unwrap().unread, ["colour"]);
    let said = ScoreTable::from_csv(",a,b\n0,1,2\n").unwrap_err().to_string();
    assert!(said.contains("column 1 has no name"), "{said}");
}

/// Tests that do not depend on the unit of the scores, at both ends of f64, and a level far out (scipy's
/// `studentized_range` has 4.60440 and 3.97333).
#[test]
fn units_and_levels_far_out() {
    for unit in [1e-300, 1.0, 1e300] {
        let t = corrected_t_test(&[1.0, 2.0, 3.0].map(|v| v * unit / 10.0), 0.0).unwrap();
        assert!((t.statistic - 12.0_f64.sqrt()).abs() < 1e-12 && (t.p - 0.0741799).abs() < 1e-6);
        let ten: Vec<f64> = (0..10).map(|i| unit * f64::from(1 + i % 2)).collect();
        let f = f_5x2(&ten).unwrap();
        assert!((f.statistic - 5.0).abs() < 1e-12 && (f.p - 0.0446).abs() < 1e-3, "{f:?}");
    }
    assert!((nemenyi(3, 5, 1e-12).unwrap() - 4.6044).abs() < 1e-3);
    assert!((nemenyi(3, 5, 1e-9).unwrap() - 3.97333).abs() < 1e-4);
    let none = wilcoxon(&[-0.1, -0.2, -0.3]).unwrap();
    assert!(none.statistic == 0.0 && none.statistic.is_sign_positive());
}
