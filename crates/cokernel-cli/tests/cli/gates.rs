use crate::toy::{DATA, Toy, cells};

const NEW: &str = "--view a=a.csv --view b=b.npy";

/// Tables, means and pictures of gates that are common to all machines.
#[test]
fn common_gates() {
    let toy = Toy::new();
    toy.run(&format!(
        "fit {DATA} --method localized_mkl --set gate_views=a,b --set gate_dimensions=2"
    ))
    .success();
    let said = toy.output("inspect model.ck --gates");
    assert!(said.contains("softmax, which look at a, b by 2 principal components of 5"), "{said}");
    assert!(said.contains("of 2 for an instance of training on average"), "{said}");
    let flags = "-o out.csv --gates g.csv --plot-gates g.svg";
    let said = toy.output(&format!("predict model.ck {NEW} {flags}"));
    assert!(said.contains("gates written to g.csv") && said.contains("picture written to g.svg"));
    let table = toy.read("g.csv");
    let titles = cells(&table)[0].clone();
    assert_eq!((titles.len(), titles[0]), (3, "row"));
    assert!(titles[1].starts_with("gaussian@a") && titles[2].starts_with("gaussian@b"));
    let picture = toy.read("g.svg");
    for text in ["gaussian@a", "gaussian@b", "component 1", "gate 0"] {
        assert!(picture.contains(text), "{text}");
    }
    // The two columns of a view themselves.
    toy.run(&format!("fit {DATA} --method localized_mkl --set gate_views=a")).success();
    toy.run(&format!("predict model.ck {NEW} -o out.csv --plot-gates two.png")).success();
    toy.run(&format!("predict model.ck {NEW} -o out.csv --plot-gates two.svg")).success();
    let picture = toy.read("two.svg");
    assert!(picture.contains("a: x1") && picture.contains("a: x2"));
}

#[test]
fn own_gates() {
    let toy = Toy::new();
    let set = "--set gates=own --set copies=2";
    toy.run(&format!("fit {DATA} --method localized_mkl {set} --kernel linear@a")).success();
    let said = toy.output("inspect model.ck --gates");
    assert!(said.contains("each machine has its own 2"), "{said}");
    let classes = ["blue", "green", "red"];
    for class in classes {
        assert!(said.contains(&format!("on average: {class} vs rest")), "{said}");
    }
    let flags = "-o out.csv --gates g.csv --plot-gates g.svg";
    toy.run(&format!("predict model.ck --view a=a.csv {flags}")).success();
    let table = toy.read("g.csv");
    let names =
        classes.iter().flat_map(|c| [1, 2].map(|copy| format!("{c} vs rest: linear@a#{copy}")));
    assert_eq!(cells(&table)[0][1..], names.collect::<Vec<_>>());
    assert!(toy.read("g.svg").contains("green vs rest: linear@a#2"));
}

#[test]
fn what_has_no_gates_or_no_picture_is_said() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean")).success();
    for option in ["--gates g.csv", "--plot-gates g.svg"] {
        let said = toy.refusal(&format!("predict model.ck {NEW} {option}"), 2);
        assert!(said.contains("the model has no gates: its method is mean"), "{said}");
    }
    let said = toy.refusal("inspect model.ck --gates", 2);
    assert!(said.contains("the model has no gates"), "{said}");
    let said = toy.refusal(&format!("predict model.ck {NEW} --plot-gates g.pdf"), 2);
    assert!(
        said.contains("--plot-gates: expected a file name that ends with .svg or .png"),
        "{said}"
    );
    toy.run(&format!("fit {DATA} --method localized_mkl -o l.ck")).success();
    let said = toy.refusal(&format!("predict l.ck {NEW} -o g.svg --plot-gates g.svg"), 2);
    assert!(said.contains("g.svg"), "{said}");
    let joint = "--method localized_mkl --set gates=own --machine joint_svc";
    let said = toy.refusal(&format!("fit {DATA} {joint}"), 2);
    assert!(said.contains("learns all classes in one problem"), "{said}");
}
