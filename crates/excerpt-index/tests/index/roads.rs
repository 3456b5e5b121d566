//! An answer depends on what is indexed, not on how the index got there: after edits, renames,
//! removals, interruptions, other settings and rebuilds, an index answers bit for bit like one
//! built in a single sync.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use excerpt_index::{
    Channels, Collection, Config, Error, Filter, Fusion, Index, Located, OpenOptions, Query, Rank,
    Ranking, Selection, Settings, SyncOptions, quiet,
};
use fastrand::Rng;

use crate::fixture::World;

/// The most frequent first.
const WORDS: [&str; 24] = [
    "harbour", "kettle", "lantern", "meadow", "orchard", "pebble", "quarry", "ribbon", "saddle",
    "thicket", "valley", "willow", "anchor", "barrel", "candle", "dagger", "ember", "feather",
    "garnet", "hollow", "island", "jasmine", "kernel", "lagoon",
];

const FOLDERS: [&str; 5] = ["docs", "src", "notes/daily", "vendor/lib", "pub"];

/// The same text in many documents, so that a large number of chunks are equally good.
const NOTICES: [&str; 2] = [
    "# Notice\n\nPermission is granted to use this kettle near any harbour, provided that the lantern stays lit.\n",
    "# Terms\n\nThe harbour is provided as is, without a kettle of any kind, express or implied, at the quarry.\n",
];

/// The files of a folder.
type State = BTreeMap<String, String>;

fn word(rng: &mut Rng) -> &'static str {
    WORDS[rng.usize(..WORDS.len()).min(rng.usize(..WORDS.len()))]
}

fn words(rng: &mut Rng, count: usize) -> String {
    let words: Vec<&str> = (0..count).map(|_| word(rng)).collect();
    words.join(" ")
}

fn prose(rng: &mut Rng) -> String {
    let mut text = format!("# {}\n\n", words(rng, 2));
    for _ in 0..rng.usize(1..5) {
        text += &format!("## {}\n\n", words(rng, 3));
        for _ in 0..rng.usize(1..5) {
            let length = rng.usize(3..25);
            text += &format!("{}.\n", words(rng, length));
        }
        text += "\n";
    }
    text
}

fn code(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(1..6) {
        text += &format!(
            "/// {}.\nfn {}_{}() {{\n    {}({}());\n}}\n\n",
            words(rng, 6),
            word(rng),
            word(rng),
            word(rng),
            word(rng)
        );
    }
    text
}

fn note(rng: &mut Rng) -> String {
    format!(
        "---\ntags: [{}]\nversion: {}\ndate: 2026-{:02}-11\n---\n{}",
        ["open", "done"][rng.usize(..2)],
        ["1.2", ">=2", "3.x"][rng.usize(..3)],
        rng.usize(1..13),
        prose(rng)
    )
}

fn content(rng: &mut Rng) -> (&'static str, String) {
    match rng.usize(..10) {
        0..3 => ("md", NOTICES[rng.usize(..NOTICES.len())].to_string()),
        3..6 => ("md", prose(rng)),
        6..8 => ("rs", code(rng)),
        _ => ("md", note(rng)),
    }
}

fn add(state: &mut State, rng: &mut Rng) {
    let (end, text) = content(rng);
    let folder = FOLDERS[rng.usize(..FOLDERS.len())];
    let name = rng.u32(..).to_string();
    state.insert(format!("{folder}/{name}.{end}"), text);
}

fn state(rng: &mut Rng, documents: usize) -> State {
    let mut state = State::new();
    while state.len() < documents {
        add(&mut state, rng);
    }
    // More copies of one text than either channel has candidates.
    for number in 0..130 {
        state.insert(format!("terms/{number}.md"), NOTICES[0].to_string());
    }
    state
}

fn any_path(state: &State, rng: &mut Rng) -> String {
    let at = rng.usize(..state.len());
    state.keys().nth(at).unwrap().clone()
}

/// A state that differs a little from another one.
fn changed(state: &State, rng: &mut Rng) -> State {
    let mut changed = state.clone();
    for _ in 0..state.len() / 6 {
        let path = any_path(&changed, rng);
        match rng.usize(..5) {
            0 => {
                changed.remove(&path);
            }
            1 => {
                let text = changed.remove(&path).unwrap();
                changed.insert(format!("moved/{path}"), text);
            }
            2 => add(&mut changed, rng),
            _ => {
                let text = match path.ends_with("rs") {
                    true => code(rng),
                    false => prose(rng),
                };
                changed.insert(path, text);
            }
        }
    }
    changed
}

/// A folder and indexes of it.
struct Roads {
    world: World,
    options: SyncOptions,
    target: State,
}

impl Roads {
    fn new(seed: u64) -> Roads {
        let mut rng = Rng::with_seed(seed);
        Roads {
            world: World::new(),
            options: cut_at(40),
            target: state(&mut rng, 110),
        }
    }

    fn root(&self) -> PathBuf {
        self.world.root()
    }

    fn index(&self, name: &str) -> PathBuf {
        self.root().parent().unwrap().join(name)
    }

    /// Brings the folder into `state`, without touching files that stay the same.
    fn write(&self, state: &State) {
        write_in(&self.world, "", state);
    }

    fn sync(&self, name: &str, state: &State) {
        self.write(state);
        sync(&self.index(name), &self.root(), &self.options);
    }

    /// The answers of an index built in one sync.
    fn fresh(&self) -> Vec<String> {
        self.sync("fresh", &self.target);
        self.told("fresh")
    }

    fn told(&self, name: &str) -> Vec<String> {
        told(&self.index(name), Filter::default())
    }

    fn assert_fresh(&self, name: &str, fresh: &[String]) {
        assert_same(name, &self.told(name), fresh);
        let [index, made] = [name, "fresh"].map(|name| open(&self.index(name)));
        assert!(index.check().unwrap().is_sound(), "{name}");
        assert_eq!(index.fingerprint().unwrap(), made.fingerprint().unwrap());
    }
}

fn assert_same(name: &str, told: &[String], fresh: &[String]) {
    for (told, fresh) in told.iter().zip(fresh) {
        let mut lines = told.lines().zip(fresh.lines());
        let first = lines.find(|(told, fresh)| told != fresh);
        let asked = fresh.lines().next().unwrap_or_default();
        assert!(told == fresh, "{name}: {asked}: {first:?}");
    }
    assert_eq!(told.len(), fresh.len());
}

/// Brings the folder `within` of a world into `state`.
fn write_in(world: &World, within: &str, state: &State) {
    let root = world.root().join(within);
    let mut there = Vec::new();
    list(&root, &mut there);
    for path in there {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy();
        if !state.contains_key(&*name.replace('\\', "/")) {
            fs::remove_file(path).unwrap();
        }
    }
    for (path, text) in state {
        if fs::read_to_string(root.join(path)).ok().as_ref() != Some(text) {
            world.write(Path::new(within).join(path).to_str().unwrap(), text);
        }
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => list(&path, files),
            false => files.push(path),
        }
    }
}

fn cut_at(target: usize) -> SyncOptions {
    SyncOptions::default().chunking(Config {
        target,
        max: 2 * target,
        min: 0,
        ..Config::default()
    })
}

fn open(index: &Path) -> Index {
    Index::open(index, OpenOptions::create()).unwrap()
}

fn sync(index: &Path, root: &Path, options: &SyncOptions) {
    let report = open(index).sync(root, options, quiet).unwrap();
    assert!(report.complete);
}

/// The complete answers to every query in every mode, each with its query.
fn told(index: &Path, within: Filter) -> Vec<String> {
    // The first answer may report that something was rebuilt.
    open(index).search(&Query::new("harbour")).unwrap();
    let index = open(index);
    let mut told = Vec::new();
    for query in queries(&within) {
        let mut answer = index.search(&query).unwrap();
        answer.elapsed = Duration::ZERO;
        let asked = format!("{query:?}").replace('\n', " ");
        told.push(format!("{asked}\n{answer:#?}"));
    }
    told
}

fn queries(within: &Filter) -> Vec<Query> {
    let texts = [
        "harbour",
        "lagoon",
        "xylophone",
        "harbour kettle",
        "kettle lagoon jasmine kernel island",
        "where is the lantern lit by the harbour",
        "harbour_kettle",
        "permission is granted to use this kettle near any harbour",
        "provided as is, without a kettle of any kind",
        "\"harbour kettle\" lantern",
        "\"express or implied\" -lantern",
        "kettle -harbour -lantern",
        "meadow orchard pebble quarry ribbon saddle thicket valley",
        "docs vendor terms",
    ];
    let mut all = Vec::new();
    for text in texts {
        for channels in [Channels::Both, Channels::Keywords, Channels::Vectors] {
            for rank in [Rank::Documents, Rank::Chunks] {
                let mut ranking = Ranking::default();
                ranking.channels = channels;
                let query = Query::new(text).rank(rank).ranking(ranking);
                all.push(query.limit(120).per_document(9).within(within.clone()));
            }
        }
        all.push(Query::new(text).within(within.clone()));
        let mut ranking = Ranking::default();
        ranking.fusion = Fusion::Rrf;
        ranking.signals.coherence_in_prose = 0.2;
        ranking.signals.index_document = 1.25;
        ranking.signals.path_word = 1.15;
        ranking.signals.saturation_in_prose = 0.9;
        let query = Query::new(text).limit(60).ranking(ranking);
        all.push(query.within(within.clone()));
        let filters: [fn(&mut Filter); 6] = [
            |filter| filter.path = Some("docs".into()),
            |filter| filter.path = Some("terms".into()),
            |filter| filter.tags = vec!["open".into()],
            |filter| filter.languages = vec!["rust".into()],
            |filter| filter.version = Some("3.1".into()),
            |filter| filter.dated = (Some("2026-03".into()), None),
        ];
        for narrow in filters {
            let mut filter = within.clone();
            narrow(&mut filter);
            all.push(Query::new(text).limit(60).within(filter));
        }
    }
    all
}

#[test]
fn edits_renames_and_removals_leave_no_trace() {
    for seed in 0..2 {
        let roads = Roads::new(seed);
        let rng = &mut Rng::with_seed(seed + 100);
        let mut before = roads.target.clone();
        for _ in 0..5 {
            before = changed(&before, rng);
            roads.sync("index", &before);
        }
        roads.sync("index", &roads.target);
        roads.assert_fresh("index", &roads.fresh());
    }
}

#[test]
fn the_order_of_addition_leaves_no_trace() {
    let roads = Roads::new(2);
    let rng = &mut Rng::with_seed(200);
    let mut paths: Vec<&String> = roads.target.keys().collect();
    rng.shuffle(&mut paths);
    let mut state = State::new();
    for some in paths.chunks(30) {
        let some = some.iter();
        state.extend(some.map(|path| ((*path).clone(), roads.target[*path].clone())));
        roads.sync("index", &state);
    }
    roads.assert_fresh("index", &roads.fresh());
}

#[test]
fn removing_and_restoring_leaves_no_trace() {
    let roads = Roads::new(3);
    let rng = &mut Rng::with_seed(300);
    roads.sync("index", &roads.target);
    for _ in 0..3 {
        let mut fewer = roads.target.clone();
        fewer.retain(|_, _| rng.usize(..3) > 0);
        roads.sync("index", &fewer);
    }
    roads.sync("index", &roads.target);
    roads.assert_fresh("index", &roads.fresh());
}

/// Few documents with many versions, some of which contain a word that none contains in the end:
/// most chunks of the keyword index are deleted, in merged and in unmerged segments.
#[test]
fn previous_versions_leave_no_trace() {
    let mut roads = Roads::new(4);
    roads.target.retain(|path, _| !path.starts_with("terms/"));
    let rng = &mut Rng::with_seed(400);
    for round in 0..20 {
        let mut state = roads.target.clone();
        for text in state.values_mut().filter(|_| rng.usize(..3) > 0) {
            *text += &format!("\n{} xylophone\n", words(&mut Rng::with_seed(round), 9));
        }
        roads.sync("index", &state);
    }
    roads.sync("index", &roads.target);
    roads.assert_fresh("index", &roads.fresh());
}

#[test]
fn other_settings_and_back_leave_no_trace() {
    let mut roads = Roads::new(5);
    let rng = &mut Rng::with_seed(500);
    for target in [80, 20, 40] {
        let before = changed(&roads.target, rng);
        roads.options = cut_at(target);
        roads.sync("index", &before);
    }
    roads.sync("index", &roads.target);
    roads.assert_fresh("index", &roads.fresh());
}

#[test]
fn interruptions_leave_no_trace() {
    let roads = Roads::new(6);
    let rng = &mut Rng::with_seed(600);
    let before = changed(&roads.target, rng);
    for state in [&before, &roads.target] {
        roads.write(state);
        for most in 0.. {
            let mut told = 0;
            let progress = |_| {
                told += 1;
                match told > most {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let mut index = open(&roads.index("index"));
            let report = index.sync(&roads.root(), &roads.options, progress).unwrap();
            if report.complete {
                break;
            }
        }
    }
    roads.assert_fresh("index", &roads.fresh());
}

#[test]
fn rebuilding_derived_files_leaves_no_trace() {
    let roads = Roads::new(7);
    let rng = &mut Rng::with_seed(700);
    let before = changed(&roads.target, rng);
    roads.sync("index", &before);
    roads.sync("index", &roads.target);
    let fresh = roads.fresh();
    let index = roads.index("index");
    fs::remove_dir_all(index.join("lexical")).unwrap();
    roads.assert_fresh("index", &fresh);
    fs::remove_file(index.join("vectors")).unwrap();
    sync(&index, &roads.root(), &roads.options);
    roads.assert_fresh("index", &fresh);

    Index::rebuild(&index, |mut index, sources| {
        for root in sources {
            index.sync(root, &roads.options, quiet)?;
        }
        Ok::<_, Error>(index)
    })
    .unwrap();
    roads.assert_fresh("index", &fresh);
}

#[test]
fn the_number_of_threads_leaves_no_trace() {
    let roads = Roads::new(8);
    let fresh = roads.fresh();
    for threads in [1, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let name = format!("by {threads}");
        let told = pool.build().unwrap().install(|| {
            roads.sync(&name, &roads.target);
            roads.told(&name)
        });
        assert_same(&name, &told, &fresh);
        roads.assert_fresh(&name, &fresh);
    }
}

#[test]
fn readers_at_once_get_the_same_answers() {
    let roads = Roads::new(9);
    let rng = &mut Rng::with_seed(950);
    roads.sync("index", &changed(&roads.target, rng));
    roads.sync("index", &roads.target);
    let fresh = roads.fresh();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| roads.assert_fresh("index", &fresh));
        }
    });
}

#[test]
fn a_copy_of_a_clones_index_leaves_no_trace() {
    let world = World::new();
    let rng = &mut Rng::with_seed(900);
    let (options, one) = (cut_at(40), state(rng, 110));
    let other = changed(&one, rng);
    let indexes = world.root().parent().unwrap().join("indexes");
    let place = |name: &str, root: &str, repository: &str| {
        let mut place = Located::of_index(indexes.join(name));
        place.root = world.root().join(root);
        place.repository = Some(repository.to_string());
        place
    };
    write_in(&world, "zebra", &changed(&one, rng));
    write_in(&world, "aside", &other);
    let from = place("from", "zebra", "one");
    let sync_at = |place: &Located| {
        let mut index = Index::open_at(place).unwrap();
        assert!(index.sync(&place.root, &options, quiet).unwrap().complete);
    };
    sync_at(&from);
    write_in(&world, "zebra", &one);
    sync_at(&from);
    let copy = place("copy", "aside", "one");
    let cut = Index::open_at(&copy).unwrap().status().unwrap().documents;
    assert!(cut > 0, "the index of the clone begins with nothing");
    sync_at(&copy);
    let fresh = place("fresh", "aside", "another");
    sync_at(&fresh);
    let [copy, fresh] = [copy, fresh].map(|place| told(&place.index, Filter::default()));
    assert_same("copy", &copy, &fresh);
}

/// Two folders with the same files: at the same path, a hit in one is as good as a hit in the
/// other.
#[test]
fn the_order_of_collections_leaves_no_trace() {
    let world = World::new();
    let rng = &mut Rng::with_seed(1000);
    let mut same = state(rng, 60);
    same.retain(|path, _| !path.starts_with("terms/1"));
    let names = ["amber", "birch", "cedar"];
    for name in names {
        write_in(&world, name, &same);
    }
    let made = |index: &str, order: &[&str], removed: &[&str]| {
        let dir = world.root().parent().unwrap().join(index);
        for name in order {
            let mut index = open(&dir);
            if removed.contains(name) && index.summary(&world.root().join(name)).unwrap().is_some()
            {
                index.remove(name).unwrap();
            }
            let collection = Collection::new(*name, world.root().join(name));
            index.add(collection.clone()).unwrap();
            let options = collection.options(Settings::default(), Selection::default());
            let report = index.sync(&collection.root, &options, quiet).unwrap();
            assert!(report.complete);
        }
        let mut some = Filter::default();
        some.collections = vec!["birch".into(), "amber".into()];
        [told(&dir, Filter::default()), told(&dir, some)].concat()
    };
    let fresh = made("fresh", &names, &[]);
    let turned = made("turned", &["cedar", "birch", "amber"], &[]);
    assert_same("turned", &turned, &fresh);
    let again = made("again", &["amber", "cedar", "amber", "birch"], &["amber"]);
    assert_same("again", &again, &fresh);
}
