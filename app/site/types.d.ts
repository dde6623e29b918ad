/* What the pages' scripts work on: the JSON that the site's files hold, and what several scripts hand each other. */

// ---------------------------------------------------------------- the cache: a growth sheet (gallery/counting/cache_growth.py)

/** One entry for every `every` tokens, at most `cap` of them (null: no end); one alone where `fixed` is 1. */
export type CacheRow = [
  kind: string,
  numbers: number, // an entry's, in the cache's format
  bits: number, // an entry's, in another format
  every: number,
  cap: number | null,
  fixed: number,
  packed: { [layout: string]: number }, // bits of an entry
];

/** So many layers, and what each of them keeps. */
export type LayerKind = [count: number, kept: CacheRow[]];

export interface GrowthSheet {
  loops: number; // how often the stack runs
  longest: number | null; // max_position_embeddings
  usual: number[] | null; // layers, KV heads, head_dim: as the common formula takes them
  kinds: LayerKind[];
}

/** A format of the cache, as an address names it. */
export type CacheFormat = "bf16" | "fp8" | "fp4" | "packed" | "v4";

/** What a reader chose on a model's page. */
export interface WeighState {
  ctx: number; // tokens
  batch: number; // sequences
  kv: CacheFormat;
  gpu: string;
  gpus: number;
  job: "prefill" | "decode";
  vs: string[]; // slugs of models beside it
}

/** Width and height of a figure, and the room right of its axes, in pixels. */
export type Frame = [width: number, height: number, right: number];

/** The most that a reader may choose: tokens, sequences, GPUs, models beside. */
export type MostChosen = [context: number, batch: number, gpus: number, models: number];

export type TitledSheet = [title: string, sheet: GrowthSheet];

/** What an address is read against. */
export interface Choices {
  slug: string;
  formats: string[];
  devices: { [name: string]: unknown };
  others: { [slug: string]: unknown };
  most: MostChosen;
}

/** A model as published, or as edited. */
export interface WeighedModel {
  sheet: GrowthSheet;
  weights: number; // bytes
  stored?: string; // what the weights are called
  mark?: string; // behind the title
  devices: { [name: string]: [memory_bytes: number, gpus_per_node: number] };
}

/** #weigh-data: what a model's page starts from. */
export interface WeighData extends WeighedModel, Choices {
  devices: { [name: string]: [memory_bytes: number, gpus_per_node: number] };
  others: { [slug: string]: TitledSheet };
  title: string;
  chosen: string[];
  start: Omit<WeighState, "vs">;
}

/** Colour and name of a layer's mixer, and the place of what it keeps in the growth sheet. */
export interface EditedLayer {
  role: string;
  words: string;
  kind: number;
}

/** What an edit makes of a model. */
export interface EditedModel {
  sheet: GrowthSheet;
  layers: EditedLayer[];
  weights: number; // bytes
  stored: string;
  mark: string;
}

/** A line of the cache's curve: its bytes at each power of two. */
export interface CurveLine {
  title: string;
  bytes: number[];
}

// ---------------------------------------------------------------- work: a work sheet (gallery/counting/blocks.py)

/** A sort of mixer or MLP, or the head: all its layers together, in one pass. */
export interface WorkBlock {
  name: string;
  half: "mixer" | "mlp" | "around" | "head";
  count: number; // layers
  token: number; // FLOPs of a token, whatever the context
  reads: [flops: number, every: number, cap: number | null, when: "" | "prefill" | "decode"][];
  weights: number; // bytes that every step reads
  runs: string; // format of its products
  experts: [bytes: number, many: number, visits: number][];
  keeps: [row: CacheRow, most: number | null, layers: number][];
}

export interface WorkSheet {
  blocks: WorkBlock[];
  loops: number;
}

/** Bytes of memory a second, and FLOPs a second by format of products. */
export type Roof = [bandwidth: number, peaks: { [format: string]: number }];

export interface RooflineData {
  sheet: WorkSheet;
  devices: { [name: string]: Roof };
}

/** What a roofline depends on. */
export type RooflineState = Omit<WeighState, "vs">;

/** A block's work in one step. */
export interface RooflineRow {
  name: string;
  half: WorkBlock["half"];
  count: number; // layers
  flops: number;
  weights: number; // bytes
  cache: number; // bytes
  seconds: number;
  peak: number; // FLOPs a second
  binds: "" | "arithmetic" | "weights" | "cache";
  intensity: number; // FLOPs a byte
}

// ---------------------------------------------------------------- comparing: /data/compare/<slug>.json (app/compare/model_file.py)

export type Part = "mixer" | "mlp" | "norms" | "position" | "sizes" | "beside";

/** A model of models.json. */
export type ListedModel = [slug: string, title: string, company: string, date: string, drawn: boolean];

/** A structural field, and its value in words. */
export type Field = [part: Part, what: string, key: string, value: string];

export interface Figures {
  parameters: number;
  active: number;
  layers: number;
  context: number; // tokens; 0 where the config does not say
  cache_bytes: number; // per token
  fixed_bytes: number;
  full_bytes: number; // of the cache at full context
  weights_bytes: number;
}

/** A difference of two models: what each says, and what it costs (null: not counted). */
export interface Difference {
  part: Part;
  what: string;
  key: string;
  a: string;
  b: string;
  parameters: number | null;
  active: number | null;
  cache: number | null; // bytes per token
  fixed: number | null; // bytes
  number: number; // of its disc; 0 where it has none
  apart?: number;
  place: string;
}

/** A difference as a file has it: in the order of compare-words.js's ROW. */
export type DifferenceRow = (string | number | null)[];

/** What a model has that model A has not, row by row with its cost. */
export interface CountedPair {
  start: string;
  clauses: [words: string, heavy: boolean, number: number][];
  end: string;
  brief: string;
  rows: DifferenceRow[];
  heads: Heads;
  equal: DifferenceRow[];
}

/** What each part is, in words. */
export type Heads = { [part: string]: string };

/** A model beside another, in rows and words. */
export interface Pair {
  rows: Difference[];
  equal: Difference[];
  counted: boolean;
  heads: Heads;
  start: string;
  clauses: { words: string; heavy: boolean; number: number }[];
  end: string;
  brief: string;
}

/* A mechanism in words: gained, in place of another, no more; it is not said beside those of `echoes`. */
export type MechanismWords = [key: string, slot: number, gained: string, replaced: string, lost: string, echoes: string[]];
export interface ComparedModel {
  slug: string;
  title: string;
  from_keys: boolean;
  figures: Figures;
  mechanisms: [key: string, weight: number][];
  says: MechanismWords[];
  heads: Heads;
  fields: Field[];
  tower: [mixer: string, mlp: string, names: string, layers: number][]; // colours, and how many in a row
  ends: [vocabulary: number, mtp_layers: number];
  insides: { cards: CardJson[]; panels: PanelJson[] };
  sheet: GrowthSheet; // what its cache is counted from
  near: string[];
  pairs: { [slug: string]: CountedPair };
}

// ---------------------------------------------------------------- drawings as data (gallery/drawing/drawing_json.py)

/* `nodes` are names of nodes with spaces between; a panel's are its graph's own. */
export type MatrixBox = [kind: "matrix", text: string, nodes: string, reads: number, writes: number, note?: string];
export type SignBox = [kind: "sign", what: string, nodes: string];
export type TextBox = [kind: "box", text: string, nodes: string, lines: string[]];
export type CachedBox = [kind: "kept", text: string, nodes: string, bytes: string];
export type PlainBox = [kind: "pill" | "tag" | "heads", text: string, nodes: string];
export type OpBox = [kind: "op", lines: string[], nodes: string, keeps?: string];
export type FieldBox = [
  kind: "field",
  lines: string[],
  nodes: string,
  experts: number,
  chosen: number,
  groups: number,
  kept_groups: number,
  zero_experts: number,
];
export type Box = MatrixBox | SignBox | TextBox | CachedBox | PlainBox;

export interface LaneJson {
  items?: Box[];
  branches?: LaneJson[];
  gate?: boolean;
  sign?: string; // nodes of the sign at which a gate meets the tail
  loose?: boolean;
  beside?: string;
  said?: string;
}

export interface FlowJson {
  source: string;
  heading?: string;
  lanes?: LaneJson[];
  op: OpBox | FieldBox;
  tail?: Box[];
}

export type MatrixSize = [name: string, reads: number, writes: number];

export interface PanelJson {
  half: "mixer" | "mlp";
  kind: string;
  label: string;
  role: string;
  title: string;
  says: string;
  layers: number;
  total: number; // parameters
  where: string; // its graph
  heads: number;
  flows: FlowJson[];
  groups: [heading: string, matrices: MatrixSize[]][];
  chips: string[];
  alarm: string;
  nodes: string;
}

export type UnitRow = [name: string, kind: string, text: string, small: string, role: string, nodes: string];

export interface CardJson {
  count: number; // layers
  which: string;
  says: string;
  role: string;
  full: boolean;
  layer: number; // the first
  streams: number;
  kinds: string[];
  units: UnitRow[];
  edges: [from: string, to: string][];
  out: string;
}

// ---------------------------------------------------------------- two drawings merged (compare-merge.js, compare-merged-flow.js)

/** Where a merged thing is: in both and equal, in both otherwise, only in A, only in B. */
export type MergedState = "same" | "differs" | "a" | "b";

export interface MergedBox<B> {
  a?: B;
  b?: B;
  state: MergedState;
  nodes: string[];
}
export type MergedMatrix = { kind: "matrix" } & MergedBox<MatrixBox>;
export type MergedSign = { kind: "sign" } & MergedBox<SignBox>;
export type MergedText = { kind: "box" } & MergedBox<TextBox>;
export type MergedCached = { kind: "kept" } & MergedBox<CachedBox>;
export type MergedPlain = { kind: "pill" | "tag" | "heads" } & MergedBox<PlainBox>;
export type MergedItem = MergedMatrix | MergedSign | MergedText | MergedCached | MergedPlain;
export type MergedField = { kind: "field" } & MergedBox<FieldBox>;
export type MergedOp = ({ kind: "op" } & MergedBox<OpBox>) | MergedField;

/** What A has and what B has; undefined where it has none. */
export type Both<T> = [a: T | undefined, b: T | undefined];

export interface MergedLane {
  a: boolean;
  b: boolean;
  gate: boolean;
  sign: string[];
  loose: boolean;
  beside: Both<string>;
  said: string[];
  items: MergedItem[];
  branches: MergedLane[];
}

export interface MergedFlow {
  a: boolean;
  b: boolean;
  source: Both<string>;
  heading: Both<string>;
  lanes: MergedLane[];
  op: MergedOp;
  tail: MergedItem[];
}

export interface MergedPanel {
  a?: PanelJson;
  b?: PanelJson;
  half: "mixer" | "mlp";
  role: string;
  state: MergedState;
  flows: MergedFlow[];
  groups: { heading: Both<string>; items: MergedMatrix[] }[];
  chips: Both<string>[];
  nodes: string[];
}

export interface MergedUnit {
  a?: UnitRow;
  b?: UnitRow;
  name: string;
  kind: string;
  role: string;
  state: MergedState;
  nodes: string[];
}

export interface MergedEdge {
  from: string;
  to: string;
  state: MergedState;
}

export interface MergedCard {
  a?: CardJson;
  b?: CardJson;
  role: string;
  full: boolean;
  state: MergedState;
  units: MergedUnit[];
  edges: MergedEdge[];
  outs: Both<string>;
}

/** A piece of a line; `k` is its style: a's value, b's, an arrow (r), a change (c), a name (n), " =" (q). */
export interface Run {
  t: string;
  k: string;
}

/** What boxes are drawn with: the hatching's id, the room beside a box, FLOPs' scale, the gap of lanes. */
export interface DrawEnv {
  hatch: string;
  label: number;
  field: number;
  scale: number;
  gap: number;
}

/** A box that knows its size: `tall` with the lines `beside` it. */
export interface FittedBox {
  w: number;
  h: number;
  tall: number;
  beside: number;
  put: Put;
}
export type Put = (g: Element, x: number, y: number) => void;

/** An operation, drawn once its width is known. */
export interface FittedOp {
  least: number;
  lay: (width: number) => { h: number; put: Put };
}

/** A flow, drawn once its room is known. */
export interface FittedFlow {
  w: number;
  lay: (room: number) => { w: number; h: number; put: Put };
}

/** Something numbered: the row of the table that a disc stands for. */
export interface Numbered {
  number: number;
  place: string;
}

// ---------------------------------------------------------------- what a drawing says (app/model_page/reading.py)

/** /data/parts/<slug>.json. */
export interface PartsData {
  graphs: { [layer: string]: { [node: string]: PartRow } };
  tensors: { [name: string]: [shape: string, count: string, parameters: number] };
  kinds: [words: string, where: string, count: string, first_layer: number][];
  layers: number[]; // the kind of each
  learn: { [name: string]: [title: string, what: string, target: string] };
}

/** A node: its formula, what it is called, its tensors, the explainers that teach it. */
export interface PartRow {
  is: string;
  what?: string;
  tensors?: string[];
  learn?: string[];
}

/** What the tip says. */
export interface TipWords {
  head: string;
  sub: string;
  rows: { name: string; is: string }[];
  tensors: { name: string; shape: string }[];
  learn: { title: string; what: string; target: string }[];
}

/** Where a tip stands, in pixels of the window. */
export interface TipBox {
  left: number;
  right?: number;
  top: number;
  bottom: number;
}

// ---------------------------------------------------------------- searching (app/model/facets.py)

export interface SearchModel {
  slug: string;
  name: string;
  company: string;
  words: string;
  has: string[]; // keys of ideas
  numbers?: (number | number[] | null)[]; // parameters, active, context, windows, experts, cache per token, date
  path?: string; // of the page that draws it, where it is packed
}
export interface SearchIdea {
  key: string;
  words: string[]; // its names, the usual one first
}
export interface SearchPage {
  path: string;
  name: string;
  words: string;
  has: string[];
  terms: string[]; // who types one of them should find this page first
}
/** A model without a page of its own, as a pack has it (app/packed/page.py). */
export interface PackedModel {
  slug: string;
  title: string;
  company: string;
  date: string | null;
  licence: string | null;
  repo: string | null;
  origin: string; // a sentence
  marks: string[];
  config: string; // its text
}
export type PackedName = [slug: string, title: string, company: string];
export type PackedRow = [...PackedName, date: string, parameters: string];
export interface SearchIndex {
  packed?: { names: string; at: string }; // of packed models: the file of names, beside this index; the address of SLUG
  models?: SearchModel[];
  dated?: number; // of them, which stand before the undated and the variants
  ideas?: SearchIdea[];
  pages?: SearchPage[];
}
export interface SearchAnswer {
  same: SearchModel[]; // called just so
  models: SearchModel[];
  lead: SearchPage[]; // about just what is typed: they come before all models
  pages: SearchPage[];
  ideas: string[];
  words: { key: string; name: string; whole: boolean }[]; // of the glossary
  corrected: string; // what was read instead of what was typed
  without: string[]; // words that no model has: the answer is to the others
  sort?: string; // as /models/ calls the order that is asked for
  about?: Map<string, string>; // slug -> the number that the order goes by
}

/** A row of /data/places.json (app/site/places.py). */
export interface Place {
  path: string;
  name: string;
  kind: string;
  words?: string;
  also?: string[]; // other names
  about?: string;
}
/** What a query finds there: spelt just so in it, called just so, and what has all of its words, or else some; best first. */
export interface FoundPlaces {
  named: Place[];
  exact: Place[];
  more: Place[];
  all: boolean; // of its words are in `more`
}
export type SearchPlaces = (text: string) => FoundPlaces;
/** A row of the list below the search box. */
export interface FoundRow {
  kind: string;
  name: string;
  about?: string;
  path: string;
}
export type Find = ((text: string) => SearchAnswer) & { warm: () => string[] };

// ---------------------------------------------------------------- "What if it had ..." (gallery/editing/sheet.py)

/** A number that can be edited. */
export type EditField = [
  id: string,
  key: string,
  words: string,
  who: string,
  value: number,
  least: number,
  most: number,
];
/** Field a is a multiple of b, or at most b × num / den; b is another field, or a number that is `called` so. */
export type EditRule = [kind: "multiple" | "most", a: string, b: string | number, called: string, num: number, den: number];

/** A factor, and the places of fields that it is multiplied with; -1 - place is 1 where that field is 0. */
export type Term = number[];

/** What a part keeps: numbers as a sum of terms; a cap is null, [place of a field] or tokens. */
export type KeptRow = [
  kind: string,
  numbers: Term[],
  bits: number,
  every: number,
  cap: number | [place: number] | null,
  fixed: number,
  packed: [bits: number, besides: number, per_128: number][],
];

export interface EditPart {
  total: Term[];
  role: string;
  short: string;
  each?: number; // parameters of an expert
  k?: Term[]; // experts, and experts per token
  kept?: KeptRow[];
  usual?: [heads: Term, width: number];
  how?: [rule: string, sees: Term, seen: string, heads: Term, kv: Term, chooses: number, end: string];
}

/** Parameters beside the halves, experts' of these, parts of the mixer and of the MLP, what stands around keeps, numbers in lookup tables. */
export type EditKind = [
  beside: number,
  foreign: number,
  mixer: number[],
  mlp: number[],
  around: [kind: string, numbers: Term[], bits: number, every: number, cap: number | null, fixed: number, packed: []][],
  looked_up: number,
];

export interface EditSheet {
  slug: string;
  title: string;
  fields: EditField[];
  rules: EditRule[];
  stays: { [field: string]: string };
  longest: number | null;
  loops: number;
  bits?: number; // of a weight, as stored
  outside: number; // parameters that stand in no layer
  looked_up: number; // of these, in tables of which a token reads rows
  layers: [first: number[], period: number[], last: number[]];
  kinds: EditKind[];
  parts: EditPart[];
}

/** Fields' new values by their ids. */
export type Edits = { [id: string]: number };

/** A field's id ("" for none), and what is wrong with it. */
export type Problem = [id: string, sentence: string];

/** The figures of an edited model. */
export interface EditFigures {
  parameters: number;
  active: number;
  layers: number;
  bytes: number; // of weights in 16 bits
  cache: number; // bytes
}

// ---------------------------------------------------------------- what the pages say to each other

/** A session of Bokeh, as a page sees it. */
export interface BokehDocument {
  on_event(event: string, run: () => void): void;
  get_model_by_name(name: string): BokehSource;
}
export interface BokehSource {
  data: { [column: string]: unknown[] };
}

declare global {
  interface Window {
    Bokeh?: {
      documents: BokehDocument[];
      embed: { embed_item(item: unknown): Promise<{ model: { document: BokehDocument } }[] | Set<{ model: { document: BokehDocument } }>> };
    };
  }
  interface DocumentEventMap {
    weigh: CustomEvent<WeighState>;
  }
  interface WindowEventMap {
    "cutaway:state": CustomEvent<string>;
  }
}
