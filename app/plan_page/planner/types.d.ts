/* What the planner works on: a model's sheet, a device, a layout, what its ranks hold and send, and a step's times. */

export type Job = "train" | "prefill" | "decode";

/** A device as gallery/planning/devices.py has it; speeds in bytes or FLOP a second, each way. */
export interface Device {
  name: string;
  memory_bytes: number;
  bandwidth_bytes: number; // of its memory
  gpus_per_node: number;
  inside_bytes: number; // to another GPU of its domain
  outside_bytes: number; // to a GPU of another node
  peaks: { [format: string]: number };
  domain: number; // GPUs that the faster link joins
  beyond_bytes: number; // to a GPU of another such domain
}

/** Bits of a number by the format of the cache. */
export type Bits = { [format: string]: number };

// ---------------------------------------------------------------- a model's sheet (gallery/planning/planner_model.py)

/** How a thing is dealt over ranks; sharding-arithmetic.js says what the numbers of each word are. */
export type Rule = [word: "whole" | "tp" | "heads" | "groups" | "experts", ...numbers: number[]];

/** A tensor; `rule` is a place in the sheet's rules, `matrix` 1 where formats change it. */
export type Piece = [
  name: string,
  shape: number[],
  part: string,
  numbers: number,
  bytes: number,
  rule: number,
  matrix: number,
];

/** A tensor, and how often. */
export type Pieces = [piece: Piece, times: number];

/** What decoding keeps of one sequence: one entry for every `every` tokens; null: no end, or all are read. */
export type Keep = [
  kind: string,
  numbers: number,
  bits: number,
  packed: { [layout: string]: number },
  every: number,
  cap: number | null,
  fixed: number,
  rule: number,
  most: number | null,
];

/** The same in bits of an entry, of all layers of a kind. */
export type Kept = [
  rule: number,
  bits: number,
  every: number,
  cap: number | null,
  fixed: number,
  most: number | null,
];

/** FLOPs of one token in one pass: whatever the context, routed experts' of these, and an entry's. */
export interface Terms {
  token: number;
  experts: number;
  reads: [flops: number, every: number, cap: number | null, when: "" | "prefill" | "decode"][];
}

export interface Experts {
  num_experts: number;
  num_experts_per_tok: number;
  moe_intermediate_size: number;
  width: number; // of what travels to an expert
  n_group: number;
  used: number[]; // tokens by how many groups they use
  picks: number[]; // groups by how many of their experts a token uses
}

/** Attention, for what travels between cp and dcp ranks; kv_heads 0: a latent stands for all heads. */
export interface Context {
  kv_heads: number;
  heads: number;
  width: number;
  query: number;
  value: number;
}

/** A kind of layer. */
export interface Kind {
  pieces: Piece[];
  keeps: Keep[];
  work: Terms;
  meets: [as_dense: number, else_: number];
  experts: Experts[];
  context: Context[];
  saves: number[]; // numbers of a token: others, matrices, both, normed, unpacked, arriving, first, last
  joins?: number;
}

export interface Sheet {
  model_type: string;
  hidden_size: number;
  vocab_size: number;
  loops: number; // how often the stack runs
  streams: number;
  tied: boolean;
  has_head: boolean;
  longest: number | null; // max_position_embeddings
  dtype_bits: number;
  element: string; // format of quantized weights
  products: string;
  products_says: string;
  rules: Rule[];
  before: Piece[];
  after: Piece[];
  layers: number[]; // the kind of each
  kinds: Kind[];
  ends: Terms;
  mtp: number[]; // kinds of the layers that predict further tokens
  mtp_stored: number; // of these, layers with weights of their own; the rest are the same again
  further: number; // tokens that they predict
  cuts: [what: string, many: number][];
  shared: [what: string, many: number][];
  kv_heads: number[];
  crossings: [word: "weights_of" | "kv_source", layer: number, of: number][];
  towers: string[];
  caveats?: { read_from_keys?: boolean; not_understood?: string[]; contradictions?: string[]; unread?: string[] };
}

/** A published run. */
export interface MeasuredRun {
  dp_shard: number; // from here on, what its recipe says of its memory
  gradient_bytes: number;
  optimizer_bytes: number;
  recompute: string;
  offload: string;
  lora_rank: number;
  device: string;
  compute_dtype: string;
  precision: string;
  release: string;
  tokens: number; // a second and GPU
  tflops: number;
  gpus: number;
  batch: number;
  micro_batch: number;
  sequence: number;
  tp: number;
  pp: number;
  chunks: number;
  cp: number;
  ep: number;
  zero: number;
}

/** A model's file. */
export interface Model {
  slug: string;
  title: string;
  parameters: number;
  sheet: Sheet;
  runs?: MeasuredRun[];
}

// ---------------------------------------------------------------- a layout (gallery/planning/layout.py)

/** What a layout is made of; sizes are in tokens, sequences or ranks. */
export type LayoutFields = {
  device: Device;
  nodes: number;
  per_node: number;
  tp: number;
  pp: number;
  chunks: number;
  cp: number;
  ep: number;
  etp: number;
  zero: number;
  job: Job;
  sequence: number;
  batch: number;
  micro_batch: number;
  context: number;
  recompute: string;
  offload: string; // activations in host memory: of layers, or "experts"
  lora_rank: number; // of LoRA's adapters beside frozen weights; 0: all weights are trained
  redundant: number; // experts that stand twice
  gradient_bytes: number;
  weights_dtype: string;
  cache_dtype: string;
  compute_dtype: string;
  used: number; // share of the memory
  schedule: string;
  split: string; // Megatron-LM's layout string
  cp_kind: string;
  dp_shard: number;
  order: string;
  weight_bytes: number;
  optimizer_bytes: number;
  dispatch_dtype: string;
  dcp: number;
  imbalance: number;
  mtp: number;
  framework_bytes: number | null; // null: serving as measured with vLLM
};

/** A layout with what follows from its fields. */
export type Layout = LayoutFields & {
  gpus: number;
  outside_bytes: number; // a second, to a GPU of another node
  dp: number;
  edp: number;
  micro_batches: number;
  runs: string; // the schedule's name
  placement: string;
  copies: number; // of a stage
  visits: number; // micro-batches that enter at one end
  replicas: number;
  shard: number; // ranks over which ZeRO deals
  expert_shard: number;
  usual_etp: number;
  cut_as_dense: boolean;
  modules: string[]; // words of recompute
  redone: string[]; // of them, modules that are computed anew
  saves_fp8: boolean;
  dispatches_fp8: boolean;
};

/** What is chosen on the page, and what its address says; null: what follows from the rest. */
export type Chosen = {
  m: string; // the model
  device: string;
  nodes: number;
  per_node: number;
  tp: number;
  pp: number;
  chunks: number;
  cp: number;
  ep: number;
  etp: number | null;
  zero: number;
  job: Job;
  sequence: number;
  batch: number | null;
  n: number | null; // sequences that decode
  micro_batch: number;
  context: number;
  recompute: string;
  offload: string; // activations in host memory: of layers, or "experts"
  lora_rank: number; // of LoRA's adapters beside frozen weights; 0: all weights are trained
  redundant: number;
  gradient_dtype: string;
  weights_dtype: string;
  cache_dtype: string;
  compute_dtype: string;
  used: number;
  schedule: string;
  split: string;
  cp_kind: string;
  dp_shard: number;
  order: string;
  optimizer_bytes: number;
  dispatch_dtype: string;
  dcp: number;
  imbalance: number;
  mtp: number | null;
  framework_bytes: number | null; // null: serving as measured with vLLM
  pick: string; // a tensor
  pin: string; // a layout
  t: string; // seconds
  sort: string;
};

/** Values by the names of fields. */
export type Values = { [name: string]: string | number | null };

/** Some of what is chosen, otherwise. */
export type Changes = Partial<Chosen>;

/** #plan-data. */
export interface PlanData {
  devices: Device[];
  cache_bits: Bits;
  measured: string; // who published the runs
  chosen: Chosen;
  visit: Changes;
  first: Model;
}

/** One input that cannot be. */
export interface Problem {
  field: string;
  why: string;
  nearest: (number | string)[];
  says: string;
}

// ---------------------------------------------------------------- a plan (gallery/planning/rank_memory.py, fits.py, talks.py, seconds.py)

/** What is made of one rank of a stage; parts that its job does not have are left out. */
export interface HeldFields {
  stage: number;
  layers: number[];
  weights_bytes: number;
  experts_bytes: number;
  gradients_bytes?: number;
  optimizer_bytes?: number;
  activations_bytes?: number;
  cache_bytes?: number;
  sequence_cache_bytes?: number; // that one sequence keeps
  sequence_padding_bytes?: number; // what pages of one size add to it
  sequence_fixed_bytes?: number; // of it, what does not grow
  sequence_read_bytes?: number; // of it, what one step reads
  lookup_bytes?: number; // of weights, tables of which a token reads a row
  numbers?: number; // parameters
  expert_numbers?: number;
  adapters?: number; // LoRA's
  expert_adapters?: number;
  framework_bytes?: number;
}

/** What of it is summed and gathered once a step. */
export type TrainedRank = Pick<
  Required<HeldFields>,
  "stage" | "numbers" | "expert_numbers" | "adapters" | "expert_adapters"
>;

/** What one rank of a stage holds. */
export interface Held extends Required<HeldFields> {
  sequence_bytes: number; // of one sequence, in whole pages
  states_bytes: number;
  before_text_bytes: number;
  total_bytes: number;
}

/** What one sequence takes in pages of one size. */
export interface Pages {
  tokens: number; // of attention that a page holds
  page_bytes: number;
  layers: number; // that share a page's place
  bytes: number;
}

/** A part of what a rank holds. */
export type HeldPart =
  | "weights_bytes"
  | "experts_bytes"
  | "gradients_bytes"
  | "optimizer_bytes"
  | "activations_bytes"
  | "cache_bytes"
  | "framework_bytes";

export interface Plan {
  layout: Layout;
  ranks: Held[]; // one of each stage
  room_bytes: number;
  sequences: number | null; // that fit; null: any number
  here: number; // sequences of one part
  at_most: boolean; // an engine's overhead was not measured on such a layout
  flight: number; // of these, those that pass a stage together
  fullest: Held;
  emptiest: Held;
  readonly longest_context: number | null; // tokens; null: no end
  timed: boolean;
  fits: boolean;
}

/** Ranks that meet, and what one of them sends in a step. */
export interface Talk {
  axis: string;
  operation: string;
  ranks: number;
  calls: number;
  bytes: number;
  leaving_bytes: number; // of these, those that leave the node
}

/** Kinds of layers, and how many of each. */
export type Counts = Map<number, number>;
export type KindCounts = [kind: Kind, layers: number][];

export type TermName = "products" | "memory" | "inside" | "outside";

/** The least seconds of a step. */
export interface Bound {
  products: number;
  memory: number;
  inside: number; // links in a node
  outside: number; // links between nodes
  bubble: number; // idle share of the work itself
  seconds: number;
  apart: number; // where no traffic hides behind work
  flow: number; // what every micro-batch waits for
  idle: number; // what the pipeline adds
  idle_apart: number;
  flows: number; // which of the four flow is
  unhidden: number;
  of_total: number; // idle share of the step
  term: TermName;
  binds: string;
}

/** What is chosen, and all that follows from it; of a layout with trouble there is no plan. */
export interface Now {
  chosen: Chosen;
  model: Model;
  sheet: Sheet;
  title: string;
  bits: Bits;
  source: string; // who published the runs
  layout: Layout;
  last: string; // the field that was changed last
  address: string;
  problems: Problem[];
  trouble: Problem | undefined;
  plan: Plan;
  bound: Bound;
  slowest: number; // stage
  runs: MeasuredRun[];
  talksOf: (stage: number) => Talk[];
  readonly talks: Talk[]; // the fullest stage's
  readonly talksAll: Talk[];
}

// ---------------------------------------------------------------- searching (gallery/planning/search.py, folded.py, fixes.py)

/** A legal layout with its plan and its times; seconds are of one unit of work. */
export interface PlannedRow {
  layout: Layout;
  plan: Plan;
  bound: Bound;
  seconds: number;
  unhidden: number;
}

/** A layout's times, before its plan is made. */
export interface FoundLayout {
  seconds: number;
  unhidden: number;
  bytes: number; // of the fullest rank
  base: Layout;
  ep: number;
  etp: number;
}
export type Order = "seconds" | "unhidden";

export type Change = [field: string, value: number | string];

export interface Fix {
  changes: Change[];
  row: PlannedRow;
}

export interface Waste {
  field: string;
  says: string;
  bytes: number;
}

/** A layout as the worker sends it back. */
export interface PlainRow {
  fields: { [name: string]: number };
  usual: boolean; // whether etp follows from the rest
  gpus: number;
  dp: number;
  here: number;
  fits: boolean;
  sequences: number | null;
  bytes: number;
  least: number;
  unhidden: number;
  step: number;
  idle: number;
  binds: string;
}
export interface PlainWay {
  changes: Change[];
  row: PlainRow;
}
export interface Ways {
  title: string;
  ways: PlainWay[];
  nodes?: number | null;
}
export interface LayoutTable {
  legal: number;
  fitting: number;
  rows: PlainRow[];
  place: number | null;
  own: PlainRow | null;
}

// ---------------------------------------------------------------- lanes

/** What a stage does: a kind, pairs of chunk and micro-batch, its start and end in units. */
export type Op = [kind: string, ...numbers: number[]];
export type OpPart = [kind: string, chunk: number, micro: number];

/** What goes from one stage to another. */
export type Send = [kind: string, from: number, to: number, micro: number];

/** Rounds that all lanes repeat: left out from `at` on. */
export interface Fold {
  at: number;
  units: number;
  micros: number;
  rounds: number;
}

export interface Run {
  schedule: string;
  chunks: number;
  units: number; // of a micro-batch
  ops: Op[][];
  fold: Fold | null;
  ops_end: number;
  end: number;
}

/** A place on a track: units as run, micro-batches left out before, units of the whole step. */
export interface Moment {
  t: number;
  micros: number;
  units: number;
  inside: boolean;
  round?: number;
}

interface Places {
  now: Now;
  end: number; // seconds
  last: number; // place
  usual: number; // place
  seconds: (i: number) => number;
  index: (seconds: number) => number;
  page: (i: number, way: number) => number;
  x: (i: number) => number; // from 0 to 1
}

export interface TrainTrack extends Places {
  run: Run;
  slots?: undefined;
  unit: number; // seconds
  kept: [during: number, after: number][][];
  moment: (i: number) => Moment;
  x_of: (t: number, after: boolean) => number;
}

/** What a rank does or waits for while it serves. */
export interface Slot {
  what: string;
  axis: string;
  amount: number; // bytes or FLOP
  seconds: number;
}
export interface PlacedSlot extends Slot {
  stage: number;
  layer: number;
  from: number;
  to: number;
}
export interface ServeTrack extends Places {
  run?: undefined;
  slots: PlacedSlot[];
}
export type Track = TrainTrack | ServeTrack;

// ---------------------------------------------------------------- what is drawn

/** Tensors that are dealt alike. */
export interface OwnerRow {
  parent: string;
  label: string;
  pieces: Piece[];
  layers: number[];
  rule: Rule;
  most: Piece; // the largest
  where: "before" | "inside" | "mtp" | "after";
}

/** Who holds a part of a tensor; holds(rank) is its part, or -1. */
export interface Owners {
  axis: string;
  parts: number;
  copies: number;
  holds: (rank: number) => number;
}

/** A tensor that a reader picked. */
export interface Picked extends Owners {
  row: OwnerRow;
  piece: Piece;
  layer: number | null;
  expert: number;
  stage: number;
  name: string;
  first: number; // rank
  shape: number[];
  bytes: number;
  group: number[];
  talk: Talk | undefined;
}

/** Stages that are drawn as one; `rank` is the fullest of them. */
export interface StageBox {
  from: number;
  to: number;
  rank: Held;
  low: Held;
}

/** A rank's part in a stack, in bytes and in px. */
export interface StackPart {
  name: HeldPart;
  word: string;
  bytes: number;
  from: number;
  to: number;
}

/** How a number came to be: its title, formulas with their values, a plain sentence. */
export type Formula = [title: string, lines: string[], note: string];

/** px of so many bytes. */
export type Scale = (bytes: number) => number;

/** An element before it is made. */
export interface VNode {
  svg: boolean;
  tag: string;
  attrs: VAttrs;
  kids: VKids;
}
export type VAttrs = { [name: string]: string | number | boolean | null | undefined };
export type VKid = VNode | Node | string | number;
/** Kids, and beside them the nodes that they became. */
export type VKids = VKid[] & { nodes?: ChildNode[] };
export type VGiven = VKid | null | undefined | false | readonly VGiven[];

declare global {
  interface Array<T> {
    /** What is something: filter(Boolean) leaves out false, 0, "", null and undefined. */
    filter(test: BooleanConstructor): Exclude<T, false | 0 | "" | null | undefined>[];
  }
}
