//! Flags and project file together: what a command was asked to do. Flags override the file.

use crate::args::{DataArgs, GlobalArgs, GraphArgs, KernelArgs, MachineArgs, name_and_rest};
use crate::files::{check_place, not_an_input};
use crate::input::{Input, ViewSource, has_modalities, in_flags, is_annotated, is_fasta};
use crate::misuse::misuse;
use crate::project::{self, ClassWeights, Content, ParamEntry, Project, ViewEntry};
use crate::session::Options;
use crate::tasks::for_task;
use crate::words::bytes;
use anyhow::{Context, Result};
use cokernel::bank::Storage;
use cokernel::catalogue::{
    INTEGRATION, default_machine, find, find_for, for_task as for_machine, goes_with, machines,
    methods, named, recommended, together,
};
use cokernel::data::{Header, Missing, ReadOptions, Scale, ViewsIn, views_in};
use cokernel::kernel::{GraphSpec, KernelSpec, Normalization};
use cokernel::machine::MachineSpec;
use cokernel::method::{Integration, Method, Task};
use cokernel::model::Mkl;
use cokernel::params::Value;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A parameter that was given.
#[derive(Debug, Clone)]
pub struct Given {
    /// Ids of the methods it belongs to; empty: of whichever is in use.
    methods: Vec<String>,
    name: String,
    value: Value,
    place: String,
}

/// Everything about learning but the method and the data.
pub struct Learning {
    /// Whether neither task nor machine was named.
    pub assumed: bool,
    /// Whether the machine was named.
    pub named: bool,
    pub kernels: Option<Vec<KernelSpec>>,
    pub machine: MachineSpec,
    pub scale: Scale,
    pub storage: Storage,
    pub missing: Missing,
}

impl Learning {
    /// The method where none is named: SimpleMKL, and the mean with machines that it does not drive.
    pub fn usual(&self) -> Result<&'static str> {
        let usual = find("simple_mkl")?;
        let drives = !self.named || goes_with(usual, self.machine.method()).is_ok();
        Ok(if drives { usual.id } else { "mean" })
    }
}

/// Flags over project file.
pub struct Settings {
    pub(crate) project: Option<Project>,
    pub options: Options,
    pub input: Input,
    pub drop_incomplete: bool,
    /// Remarks about the choice of views.
    pub remarks: Vec<String>,
    params: Vec<Given>,
}

impl Learning {
    /// What is learned.
    pub fn task(&self) -> Task {
        self.machine.method().tasks[0]
    }
}

impl Settings {
    /// Reads the project file, if there is one, and puts the flags over it.
    pub fn load(data: &DataArgs, set: &[String], global: &GlobalArgs) -> Result<Self> {
        let project = project_file(data)?;
        let empty = Content::default();
        let content = project.as_ref().map_or(&empty, |p| &p.content);
        let options = Options {
            seed: global.seed.or(content.seed),
            threads: global.threads.or(content.threads),
            time_limit: global.time_limit.or(content.time_limit),
            memory: None,
            quiet: global.quiet,
            wide: global.wide,
            json: global.json,
        };
        let path = |p: &PathBuf| project.as_ref().map_or(p.clone(), |project| project.resolve(p));
        let unpack = match &data.unpack {
            None => None,
            Some(text) => Some(bytes(text).ok_or_else(|| {
                misuse(format!("--unpack: expected a size such as 500MB or 8GiB, found '{text}'"))
            })?),
        };
        let mut views = views(data, project.as_ref())?;
        let later = variables(data, &mut views)?;
        let (mut views, remarks) = expanded(views, unpack)?;
        of_modalities(later, &mut views)?;
        Ok(Settings {
            options,
            input: Input {
                views,
                labels: data.labels.clone().or_else(|| content.labels.as_ref().map(path)),
                label_column: data.label_column.clone().or_else(|| content.label_column.clone()),
                unlabelled: data.unlabelled.clone().or_else(|| content.unlabelled.clone()),
                id: data.id.clone().or_else(|| content.id.clone()),
                pairs: None,
                unpack,
            },
            remarks,
            drop_incomplete: data.drop_incomplete || content.drop_incomplete,
            params: params(set, project.as_ref())?,
            project,
        })
    }

    pub(crate) fn content(&self) -> Option<&Content> {
        self.project.as_ref().map(|p| &p.content)
    }

    /// A setting that only the file or a flag of one command has.
    pub fn or_file<T>(&self, flag: Option<T>, file: impl Fn(&Content) -> Option<T>) -> Option<T> {
        flag.or_else(|| self.content().and_then(file))
    }

    /// The output file: the flag, or that of the project file.
    pub fn output(&self, flag: Option<&Path>) -> Option<PathBuf> {
        let file = || {
            let project = self.project.as_ref()?;
            project.content.output.as_ref().map(|p| project.resolve(p))
        };
        flag.map(Path::to_path_buf).or_else(file)
    }

    /// Refuses an output file that cannot be written, or that is one of the files to read.
    pub fn check_output(&self, path: &Path) -> Result<()> {
        check_place(path)?;
        let project = self.project.iter().map(|p| p.path.as_path());
        let views = self.input.views.iter().map(|v| v.path.as_path());
        let read = views
            .chain(self.input.labels.as_deref())
            .chain(self.input.pairs.as_deref())
            .chain(project);
        not_an_input(path, read)
    }

    /// A word of a flag or of the file, with the place it stands at.
    pub fn word(
        &self,
        flag: Option<&String>,
        name: &str,
        file: impl Fn(&Content) -> Option<&Spanned<String>>,
    ) -> Option<(String, String)> {
        if let Some(text) = flag {
            return Some((text.clone(), format!("--{name}")));
        }
        let project = self.project.as_ref()?;
        let text = file(&project.content)?;
        Some((text.get_ref().clone(), project.place(text)))
    }

    /// The kernel specifications of the flags, else of the file, else of neither.
    pub fn kernels(&self, args: &KernelArgs) -> Result<Option<Vec<KernelSpec>>> {
        let given: Vec<(String, String)> = if !args.kernels.is_empty() {
            args.kernels.iter().map(|k| (k.clone(), "--kernel".to_string())).collect()
        } else if let Some(project) = &self.project {
            let listed = project.content.kernels.iter().flatten();
            listed.map(|k| (k.get_ref().clone(), project.place(k))).collect()
        } else {
            Vec::new()
        };
        let mut specs = Vec::new();
        for (text, place) in &given {
            specs.extend(KernelSpec::parse_list(text).with_context(|| place.clone())?);
        }
        Ok(if specs.is_empty() { None } else { Some(specs) })
    }

    /// The graphs of the flags, else of the file.
    pub fn graphs(&self, args: &GraphArgs) -> Result<Vec<GraphSpec>> {
        let given: Vec<(String, String)> = if !args.graphs.is_empty() {
            args.graphs.iter().map(|g| (g.clone(), "--graph".to_string())).collect()
        } else if let Some(project) = &self.project {
            let listed = project.content.graph.iter().flatten();
            listed.map(|g| (g.get_ref().clone(), project.place(g))).collect()
        } else {
            Vec::new()
        };
        given.into_iter().map(|(text, place)| text.parse().context(place)).collect()
    }

    /// For clustering: Gaussian at the median distance for each feature view, similarities and
    /// graphs as they are, as learning has it by default.
    pub fn default_kernels(&self, graphs: &[GraphSpec]) -> Vec<KernelSpec> {
        let of = |g: &GraphSpec, v: &ViewSource| g.view.as_ref().is_none_or(|name| *name == v.name);
        let spec = |v: &ViewSource| match v.similarity || graphs.iter().any(|g| of(g, v)) {
            true => KernelSpec::precomputed().view(&v.name),
            false if v.sequences => {
                let unit = [Normalization::UnitDiagonal];
                KernelSpec::spectrum(3).view(&v.name).normalize(unit)
            }
            false => KernelSpec::gaussian().sigma_median().view(&v.name),
        };
        self.input.views.iter().map(spec).collect()
    }

    /// What a learning command has in common: kernels, machine, scaling and storage.
    pub fn learning(&mut self, kernels: &KernelArgs, machine: &MachineArgs) -> Result<Learning> {
        let named =
            self.word(machine.machine.as_ref(), "machine", |f| f.machine.as_ref()).is_some();
        Ok(Learning {
            kernels: self.kernels(kernels)?,
            assumed: !named
                && self.word(machine.task.as_ref(), "task", |f| f.task.as_ref()).is_none(),
            named,
            machine: self.machine(machine)?,
            scale: self.scale(kernels)?,
            missing: self.missing(machine)?,
            storage: self.storage(kernels)?,
        })
    }

    /// A method with the given parameters; see [`params`](Self::params).
    pub fn mkl(
        &self,
        method: &'static Method,
        methods: &[&'static Method],
        learning: &Learning,
    ) -> Result<Mkl> {
        let machine = match learning.named {
            true => {
                goes_with(method, learning.machine.method()).map_err(|e| misuse(e.to_string()))?;
                learning.machine.clone()
            }
            false => instead(method, &learning.machine)?,
        };
        let mut mkl = Mkl::new(method.id)?
            .machine(machine)
            .scale(learning.scale)
            .missing(learning.missing)
            .storage(learning.storage.clone());
        if let Some(kernels) = &learning.kernels {
            mkl = mkl.kernels(kernels.clone());
        }
        for (name, value) in self.params(method, methods)? {
            mkl = mkl.param(name, value);
        }
        Ok(mkl)
    }

    /// The method of a command that has one.
    pub fn method(
        &self,
        flag: Option<&String>,
        default: &str,
        tasks: &[Task],
    ) -> Result<&'static Method> {
        match self.word(flag, "method", |c| c.method.as_ref()) {
            Some((id, place)) => find_for(&id, tasks).context(place),
            None => Ok(find(default)?),
        }
    }

    /// The words of flags or file that say which methods are compared, with their places.
    fn listed(&self, flags: &[String]) -> Vec<(String, String)> {
        if !flags.is_empty() {
            return flags.iter().map(|id| (id.clone(), "--methods".to_string())).collect();
        }
        let Some(project) = &self.project else { return Vec::new() };
        let listed = project.content.methods.iter().flatten();
        listed.map(|id| (id.get_ref().clone(), project.place(id))).collect()
    }

    /// Whether flags or file name the methods of a comparison; [`ALL`] names none.
    pub fn names_methods(&self, flags: &[String]) -> bool {
        let listed = self.listed(flags);
        !listed.is_empty() && !is_all(&listed)
    }

    /// Whether methods are named by how they integrate the views.
    pub fn by_integration(&self, flags: &[String]) -> bool {
        let is = |word: &str| word == INTEGRATION || Integration::from_id(word).is_some();
        self.listed(flags).iter().any(|(word, _)| is(word.trim()))
    }

    /// Whether no method is named.
    pub fn takes_recommended(&self, flags: &[String]) -> bool {
        self.listed(flags).is_empty()
    }

    /// Whether this method is named by its own id, not by a group.
    pub fn names(&self, flags: &[String], id: &str) -> bool {
        self.listed(flags).iter().any(|(word, _)| word.trim() == id)
    }

    /// What is left out because no method is named, in words.
    pub fn left_out(&self, flags: &[String], task: Task, shown: usize) -> Option<String> {
        let all = methods().filter(|m| m.tasks.contains(&task)).count();
        (self.takes_recommended(flags) && shown < all).then(|| {
            format!(
                "the controls and the recommended methods are compared, {shown} of {all}; \
                 --methods {ALL} compares every method, --methods ID,… those that are named, by groups such as one_stage, too"
            )
        })
    }

    /// The methods of a comparison: those of the flags or of the file, all of this task where these
    /// say [`ALL`], those of a group for its name, else the controls and the recommended ones.
    pub fn methods(&self, flags: &[String], task: Task) -> Result<Vec<&'static Method>> {
        let listed = self.listed(flags);
        if listed.is_empty() {
            return Ok(recommended(task).collect());
        }
        if is_all(&listed) {
            return Ok(methods().filter(|m| m.tasks.contains(&task)).collect());
        }
        let listed = listed.into_iter().filter(|(id, _)| !id.trim().is_empty());
        let mut found: Vec<&'static Method> = Vec::new();
        for (word, place) in listed {
            for method in named(word.trim(), task).context(place)? {
                let method = for_task(method, task)?;
                if !found.iter().any(|m| m.id == method.id) {
                    found.push(method);
                }
            }
        }
        Ok(found)
    }

    /// The given parameters that concern this method, checked by the method itself.
    ///
    /// `methods` are all methods of the command: with several, a parameter is passed to those
    /// that have it, and must be known to one of them. The parameters of a project file are those
    /// of the methods that it names.
    pub fn params(
        &self,
        method: &'static Method,
        methods: &[&'static Method],
    ) -> Result<Vec<(String, Value)>> {
        let mut kept: Vec<(String, Value)> = Vec::new();
        for given in &self.params {
            let has = |m: &Method| m.param(&given.name).is_some();
            let named: Vec<&Method> = given.methods.iter().flat_map(|id| find(id)).collect();
            let meant = named.is_empty() || named.iter().any(|m| m.id == method.id);
            let others = if named.is_empty() { methods } else { &named };
            if !meant || (!has(method) && others.iter().any(|m| has(m))) {
                continue;
            }
            let one = [(given.name.as_str(), &given.value)];
            method.check(one).with_context(|| format!("{}: {}", given.place, method.id))?;
            let name = method.param(&given.name).map_or(given.name.as_str(), |p| p.name);
            kept.retain(|(other, _)| other != name);
            kept.push((name.to_string(), given.value.clone()));
        }
        Ok(kept)
    }

    /// Whether a parameter of the machine is taken from a flag or key of its own. Of the text of the machine and these
    /// what is on the command line counts; both at one place is a contradiction.
    fn has_own(
        &self,
        machine: &MachineSpec,
        args: &MachineArgs,
        (parameter, flag, key): (&str, bool, bool),
    ) -> Result<bool> {
        if !machine.is_given(parameter) {
            return Ok(flag || key);
        }
        let on_line = args.machine.is_some();
        if flag == on_line && (flag || key) {
            return Err(misuse(format!(
                "{}: '{parameter}' is in the text of the machine, too; give it once",
                if flag {
                    format!("--{}", parameter.replace('_', "-"))
                } else {
                    "project file".into()
                }
            )));
        }
        Ok(flag)
    }

    /// The machine: its text, with the flags and keys for single parameters over it.
    pub fn machine(&self, args: &MachineArgs) -> Result<MachineSpec> {
        let task = self.word(args.task.as_ref(), "task", |f| f.task.as_ref());
        let task = task.map(|(id, place)| Task::from_id(&id).context(place)).transpose()?;
        let text = self.word(args.machine.as_ref(), "machine", |f| f.machine.as_ref());
        let mut machine = match (text, task.map(default_machine)) {
            (Some((text, place)), _) => text.parse::<MachineSpec>().context(place)?,
            (None, None) => MachineSpec::default(),
            (None, Some(Some(machine))) => MachineSpec::new(machine.id)?,
            (None, Some(None)) => {
                let instead = match task {
                    Some(Task::Embed) => "`cokernel embed` embeds",
                    _ => "`cokernel cluster` and `cokernel compare --task cluster` cluster",
                };
                return Err(misuse(format!(
                    "--task {}: expected classify, regress or detect; {instead}",
                    task.map_or("", Task::id)
                )));
            }
        };
        if let Some(task) = task {
            for_machine(machine.method(), task)?;
        }
        let detects = machine.method().tasks.contains(&Task::Detect);
        if detects && args.c.is_some() {
            return Err(misuse(format!(
                "--c: {0} has nu, the fraction that may be outside (--machine {0}:nu=0.1)",
                machine.method().id
            )));
        }
        // A C in the project file is that of slack.
        let in_file = |key: &dyn Fn(&Content) -> bool| self.content().is_some_and(key);
        let c = ("c", args.c.is_some(), in_file(&|f| f.c.is_some()) && !detects);
        let c = self.has_own(&machine, args, c)?.then(|| self.or_file(args.c, |f| f.c)).flatten();
        if let Some(c) = c.filter(|_| !detects) {
            if machine.method().param("c").is_none() {
                let known: Vec<&str> = machine.method().params.iter().map(|p| p.name).collect();
                let (id, known) = (machine.method().id, known.join(", "));
                return Err(misuse(format!("--c: machine '{id}' has no C; known: {known}")));
            }
            machine.set("c", c);
        }
        machine.checked()?;
        let word =
            self.word(args.decomposition.as_ref(), "decomposition", |f| f.decomposition.as_ref());
        let key = in_file(&|f| f.decomposition.is_some());
        let own = ("decomposition", args.decomposition.is_some(), key);
        let own = self.has_own(&machine, args, own)?;
        if let Some((word, place)) = word.filter(|_| own) {
            machine.set("decomposition", word);
            machine.checked().context(place)?;
        }
        let key = in_file(&|f| f.class_weights.is_some());
        let own = ("class_weight", !args.class_weights.is_empty(), key);
        let own = self.has_own(&machine, args, own)?;
        if own && args.class_weights.is_empty() {
            match self.content().and_then(|f| f.class_weights.as_ref()) {
                None => {}
                Some(ClassWeights::Word(word)) if word == "balanced" => {
                    machine.set("class_weight", "balanced");
                }
                Some(ClassWeights::Word(word)) => {
                    return Err(misuse(format!(
                        "class_weights: expected \"balanced\" or a table, found \"{word}\""
                    )));
                }
                Some(ClassWeights::ByClass(table)) => {
                    table
                        .iter()
                        .for_each(|(k, v)| machine.add_factor("class_weight", k.clone(), *v));
                }
            }
        }
        let mut seen = Vec::new();
        for text in args.class_weights.iter().filter(|text| *text != "balanced") {
            let what = "CLASS=FACTOR or `balanced`";
            let (class, factor) = name_and_rest("--class-weight", what, text)?;
            let factor = factor.parse().map_err(|_| {
                misuse(format!("--class-weight {class}: expected a number, found '{factor}'"))
            })?;
            if seen.contains(&class) {
                return Err(misuse(format!("--class-weight {class}: given twice")));
            }
            seen.push(class);
            machine.add_factor("class_weight", class.to_string(), factor);
        }
        if args.class_weights.iter().any(|text| text == "balanced") {
            machine.set("class_weight", "balanced");
        }
        machine.checked().context("class weights")?;
        Ok(machine)
    }

    /// Where kernels are kept; also moves the memory limit into the options.
    pub fn storage(&mut self, args: &KernelArgs) -> Result<Storage> {
        if let Some((text, place)) =
            self.word(args.memory.as_ref(), "memory", |f| f.memory.as_ref())
        {
            self.options.memory = Some(bytes(&text).ok_or_else(|| {
                misuse(format!("{place}: expected a size such as 500MB or 2GiB, found '{text}'"))
            })?);
        }
        match self.word(args.storage.as_ref(), "storage", |f| f.storage.as_ref()) {
            Some((word, place)) => word.parse().context(place),
            None => Ok(Storage::Auto),
        }
    }

    /// What is done about instances that lack a view.
    pub fn missing(&self, args: &MachineArgs) -> Result<Missing> {
        match self.word(args.missing.as_ref(), "missing", |f| f.missing.as_ref()) {
            Some((word, place)) => Missing::from_id(&word).context(place),
            None => Ok(Missing::Auto),
        }
    }

    /// How feature columns are scaled.
    pub fn scale(&self, args: &KernelArgs) -> Result<Scale> {
        match self.word(args.scale.as_ref(), "scale", |f| f.scale.as_ref()) {
            Some((word, place)) => Scale::from_id(&word).context(place),
            None => Ok(Scale::None),
        }
    }
}

/// The word for every method of a task.
const ALL: &str = "all";

/// Whether the one word is [`ALL`].
fn is_all(listed: &[(String, String)]) -> bool {
    matches!(listed, [(word, _)] if word.trim() == ALL)
}

/// The project file that was named, or the one in this folder if no view is given.
fn project_file(data: &DataArgs) -> Result<Option<Project>> {
    if let Some(path) = &data.project {
        return Project::read(path).map(Some);
    }
    let here = Path::new(project::DEFAULT);
    let found = data.views.is_empty()
        && data.mudata.is_none()
        && data.similarities.is_empty()
        && data.sequences.is_empty()
        && here.is_file();
    if found { Project::read(here).map(Some) } else { Ok(None) }
}

fn views(data: &DataArgs, project: Option<&Project>) -> Result<Vec<ViewSource>> {
    let mut views = Vec::new();
    if let Some(path) = data.mudata.as_ref().filter(|p| !is_annotated(p)) {
        return Err(misuse(format!(
            "--mudata: expected an .h5mu or .h5ad file, found '{}'",
            path.display()
        )));
    }
    if let Some(path) = &data.mudata {
        let (path, header) = (path.clone(), Header::Auto);
        let (name, similarity, sequences, variable) = (String::new(), false, false, None);
        views.push(ViewSource { name, path, similarity, sequences, variable, header });
    }
    for (flag, texts) in [
        ("--view", &data.views),
        ("--similarity", &data.similarities),
        ("--sequences", &data.sequences),
    ] {
        for text in texts {
            let what = "NAME=FILE, as fou=fou.csv";
            // The modalities of a file have names.
            let (name, path) = match is_annotated(Path::new(text)) && !text.contains('=') {
                true => ("", text.as_str()),
                false => name_and_rest(flag, what, text)?,
            };
            let (name, path) = (name.to_string(), PathBuf::from(path));
            let header = data.header.map_or(Header::Auto, Header::from);
            let similarity = flag == "--similarity";
            let sequences = flag == "--sequences" || is_fasta(&path);
            views.push(ViewSource { name, path, similarity, sequences, variable: None, header });
        }
    }
    if let (true, Some(project)) = (views.is_empty(), project) {
        for (name, entry) in project.views() {
            let (path, similarity, sequences, variable, header) = match entry {
                ViewEntry::Path(path) => (path, false, false, None, None),
                ViewEntry::Table(t) => {
                    (&t.path, t.similarity, t.sequences, t.variable.clone(), t.header)
                }
            };
            let (name, path) = (name.to_string(), project.resolve(path));
            let header = data.header.or(header).map_or(Header::Auto, Header::from);
            let sequences = sequences || is_fasta(&path);
            views.push(ViewSource { name, path, similarity, sequences, variable, header });
        }
    }
    Ok(views)
}

/// Puts the variables of the flags into the views. Those of views that are modalities of a file, which are not
/// known yet, come back.
fn variables(data: &DataArgs, views: &mut [ViewSource]) -> Result<Vec<(String, String)>> {
    let mut later = Vec::new();
    for text in &data.variables {
        let (name, variable) = name_and_rest("--variable", "VIEW=VARIABLE, as fac=X", text)?;
        if let Some(view) = views.iter_mut().find(|v| v.name == name) {
            view.variable = Some(variable.to_string());
        } else if views.iter().any(|v| v.variable.is_none() && is_annotated(&v.path)) {
            later.push((name.to_string(), variable.to_string()));
        } else {
            return Err(unknown_view(name, views));
        }
    }
    Ok(later)
}

fn unknown_view(name: &str, views: &[ViewSource]) -> anyhow::Error {
    let known = views.iter().map(|v| v.name.as_str());
    anyhow::Error::from(cokernel::Error::unknown("view", name, known)).context("--variable")
}

/// Puts variables into views that are modalities: what is meant is within the modality.
fn of_modalities(variables: Vec<(String, String)>, views: &mut [ViewSource]) -> Result<()> {
    for (name, variable) in variables {
        let Some(view) = views.iter_mut().find(|v| v.name == name) else {
            return Err(unknown_view(&name, views));
        };
        view.variable = match &view.variable {
            Some(modality) if has_modalities(&view.path) => Some(format!("{modality}/{variable}")),
            _ => Some(variable),
        };
    }
    Ok(())
}

/// Views with those files taken apart that hold several: the matrices in the cell array of view a
/// are the views a1, a2 …, the modalities of a file without a name of its own are views by their names. What
/// cannot be read is explained when it is.
fn expanded(
    views: Vec<ViewSource>,
    unpacked: Option<usize>,
) -> Result<(Vec<ViewSource>, Vec<String>)> {
    let (mut all, mut remarks): (Vec<ViewSource>, _) = (Vec::new(), Vec::new());
    for view in views {
        let variable = view.variable.clone();
        let similarity = view.similarity;
        let options = ReadOptions { variable, unpacked, similarity, ..ReadOptions::default() };
        let found = match view.path.is_file() {
            true => views_in(&view.path, &options).map_err(in_flags)?,
            false => ViewsIn { variables: vec![(String::new(), None)], notes: Vec::new() },
        };
        for (suffix, variable) in found.variables {
            let name = match (view.name.as_str(), suffix.as_str()) {
                ("", "") => {
                    view.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
                }
                ("", suffix) => suffix.trim_start_matches('.').to_string(),
                (name, suffix) => format!("{name}{suffix}"),
            };
            let variable = variable.or_else(|| view.variable.clone());
            all.push(ViewSource { name, variable, ..view.clone() });
        }
        let names = |note: String| format!("view '{}': {note}", view.name);
        remarks.extend(found.notes.into_iter().map(names));
    }
    Ok((all, remarks))
}

/// Parameters of the file, then those of the flags: later ones win.
fn params(set: &[String], project: Option<&Project>) -> Result<Vec<Given>> {
    let mut all = Vec::new();
    if let Some(project) = project {
        let content = &project.content;
        let named = content.method.iter().chain(content.methods.iter().flatten());
        let owners: Vec<String> = named.map(|id| id.get_ref().clone()).collect();
        for (name, entry) in &content.params {
            let place = project.place(entry);
            let (methods, values) = match entry.get_ref() {
                ParamEntry::One(value) => (owners.clone(), vec![(name, value)]),
                ParamEntry::Method(values) => {
                    find(name).with_context(|| place.clone())?;
                    (vec![name.clone()], values.iter().collect())
                }
            };
            all.extend(values.into_iter().map(|(name, value)| Given {
                methods: methods.clone(),
                name: name.clone(),
                value: value.clone(),
                place: place.clone(),
            }));
        }
    }
    for text in set {
        let (name, rest) = name_and_rest("--set", "NAME=VALUE, as tol=1e-4", text)?;
        let (methods, name) = match name.split_once('.') {
            Some((id, name)) => (vec![find(id).context("--set")?.id.to_string()], name),
            None => (Vec::new(), name),
        };
        let (name, value) = (name.to_string(), Value::parse(rest));
        let same = |g: &Given| g.place == "--set" && g.name == name && g.methods == methods;
        if all.iter().any(same) {
            let name = text.split_once('=').map_or(text.as_str(), |t| t.0).trim();
            return Err(misuse(format!("--set {name}: given twice")));
        }
        all.push(Given { methods, name, value, place: "--set".to_string() });
    }
    Ok(all)
}

/// The machine of a method where none was named: the default one, or the first of its task that the method goes with.
fn instead(method: &Method, default: &MachineSpec) -> Result<MachineSpec> {
    let task = default.method().tasks[0];
    if together(method, default.method()) {
        return Ok(default.clone());
    }
    let other = machines().find(|m| m.tasks.contains(&task) && together(method, m));
    Ok(other.map_or(Ok(default.clone()), |m| MachineSpec::new(m.id))?)
}
