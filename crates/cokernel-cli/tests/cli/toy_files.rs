use crate::toy::{Toy, cells};

#[test]
fn every_kind_can_be_clustered_at_once() {
    let toy = Toy::new();
    for (kind, views, perfect) in [
        ("synthetic_1", 2, false),
        ("synthetic_2", 3, false),
        ("correlated --rho -1", 2, false),
        ("complementary_corruption --alpha 0.5", 2, true),
        ("uninformative --content random", 2, false),
        ("contradictory", 2, false),
        ("two_circles --noise 0.1", 1, false),
    ] {
        let said = toy.output(&format!("toy {kind} --n 60 --seed 3 --out d"));
        assert!(said.contains("60 instances") && said.contains("d/cokernel.toml"), "{said}");
        let json = toy.json("cluster --project d/cokernel.toml");
        let clustering = &json["clustering"];
        assert_eq!(clustering["k"], 2, "{kind}");
        assert_eq!(clustering["kernels"].as_array().unwrap().len(), views, "{kind}");
        let row = &clustering["rows"][0];
        assert_eq!(row["assignments"].as_array().unwrap().len(), 60);
        let nmi = row["nmi"].as_f64().unwrap();
        assert!(!perfect || nmi > 0.999, "{kind}: {nmi}");
    }
}

#[test]
fn the_seed_decides_and_the_files_are_those_of_the_library() {
    let toy = Toy::new();
    toy.run("toy synthetic_1 --n 5 --seed 3 --out a").success();
    toy.run("toy synthetic_1 --n 5 --seed 3 --out b").success();
    toy.run("toy synthetic_1 --n 5 --seed 4 --out c").success();
    assert_eq!(toy.read("a/view1.csv"), toy.read("b/view1.csv"));
    assert_ne!(toy.read("a/view1.csv"), toy.read("c/view1.csv"));
    let (views, _) = cokernel::data::toy::synthetic_1(5, 3).unwrap();
    let cokernel::data::Table::Dense(table) = &views.get("view2").unwrap().table else {
        panic!("dense")
    };
    let text = toy.read("a/view2.csv");
    let rows = cells(&text);
    assert_eq!(rows[0], ["x1", "x2"]);
    for i in 0..5 {
        let row: Vec<f64> = rows[i + 1].iter().map(|c| c.parse().unwrap()).collect();
        assert_eq!(row, table.row(i));
    }
    let project = toy.read("a/cokernel.toml");
    assert!(project.starts_with("# Toy data by `cokernel toy synthetic_1 --n 5 --seed 3`\n"));
    toy.run("toy contradictory --n 4").success();
    assert_eq!(toy.read("contradictory/view2.csv"), "1,0,0,1\n0,1,1,0\n0,1,1,0\n1,0,0,1\n");
    assert_eq!(toy.read("contradictory/labels.csv"), "class\n1\n1\n2\n2\n");
}

#[test]
fn wrong_calls_and_strange_folders_are_refused() {
    let toy = Toy::new();
    assert_eq!(
        toy.refusal("toy correlated --rho 2", 2),
        "error: parameter 'rho': expected a correlation from -1 to 1, found 2"
    );
    assert_eq!(
        toy.refusal("toy contradictory --n 6", 2),
        "error: parameter 'n': expected a multiple of 4, found 6"
    );
    toy.run("toy synthetic_1 --rho 0.5").code(2);
    toy.run("toy synthetic_9").code(2);
    toy.write("cokernel.toml", b"clusters = 3\n");
    let said = toy.refusal("toy synthetic_1 --n 9 --out .", 2);
    assert!(said.contains("is not a toy's"), "{said}");
    assert_eq!(toy.read("cokernel.toml"), "clusters = 3\n");
    assert!(!toy.path("view1.csv").exists());
    let said = toy.refusal("toy synthetic_1 --n 9 --out a.csv", 1);
    assert!(said.contains("a.csv"), "{said}");
}
