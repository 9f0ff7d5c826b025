use crate::toy::Toy;
use cokernel::catalogue::methods;

#[test]
fn every_method_is_listed_with_its_source() {
    let toy = Toy::new();
    let (list, markdown) = (toy.output("methods"), toy.output("methods --markdown"));
    let json = toy.json("methods");
    assert!(methods().count() >= 9);
    for m in methods() {
        assert!(list.contains(m.id) && list.contains(m.source), "{}", m.id);
        assert!(
            markdown.contains(&format!("| {} | `{}` | {} |", m.group.id(), m.id, m.title)),
            "{}",
            m.id
        );
        let entry = json.as_array().unwrap().iter().find(|e| e["id"] == m.id).unwrap();
        assert_eq!(entry["control"], m.is_control(), "{}", m.id);
        assert!(toy.output(&format!("methods {}", m.group.id())).contains(m.id), "{}", m.id);
        let said = toy.output(&format!("methods {}", m.id));
        assert_eq!(said.contains("(a control: "), m.is_control(), "{said}");
    }
}

#[test]
fn a_method_is_explained_with_its_parameters() {
    let toy = Toy::new();
    let method = cokernel::catalogue::find("simple_mkl").unwrap();
    let said = toy.output("methods simple_mkl");
    let json = toy.json("methods simple_mkl");
    assert!(said.starts_with("simple_mkl: "), "{said}");
    for (i, p) in method.params.iter().enumerate() {
        assert!(said.contains(p.name) && said.contains(&p.range_text()), "{said}");
        assert_eq!(json["params"][i]["name"], p.name);
    }
}

#[test]
fn methods_are_listed_by_group_and_by_task() {
    let toy = Toy::new();
    let ids = |arguments: &str| -> Vec<String> {
        let json = toy.json(&format!("methods {arguments}"));
        json.as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_string()).collect()
    };
    assert!(ids("one_stage").contains(&"simple_mkl".to_string()));
    assert!(!ids("one_stage").contains(&"mean".to_string()));
    assert!(ids("--task regress").contains(&"svr".to_string()));
    assert!(!ids("--task regress").contains(&"svc".to_string()));
    assert_eq!(ids("controls --task cluster")[0], "spectral");
    // Nothing is not the end of a table.
    assert!(ids("alignment --task cluster").is_empty());
    let said = toy.output("methods alignment --task cluster");
    assert_eq!(
        said,
        "Nothing of the group alignment is for cluster; groups with something for it: controls, \
         multi_view.\n"
    );
    assert!(toy.output("methods easy_mkl --task classify").starts_with("easy_mkl: "));
    let said = toy.refusal("methods easy_mkl --task regress", 2);
    assert_eq!(
        said,
        "error: method 'easy_mkl' is for classify, not for regress; `cokernel methods --task \
         regress` lists those that are"
    );
    let said = toy.refusal("methods svr --task detect", 2);
    assert!(said.starts_with("error: machine 'svr' is for regress, not for detect"), "{said}");
}

#[test]
fn help_shows_examples_for_every_command() {
    let toy = Toy::new();
    for command in [
        "demo", "fit", "predict", "evaluate", "compare", "cluster", "embed", "inspect", "kernels",
        "methods",
    ] {
        let help = toy.output(&format!("help {command}"));
        assert!(help.contains("Examples\n"), "{help}");
        assert!(toy.output("help").contains(command));
    }
}
