/* A model's published runs and a layout -> what a GPU did in a run of the same layout, the fastest first; gallery/planning/measured.py. */
const measured = {};

measured.SAME = ["gpus", "batch", "micro_batch", "sequence", "tp", "pp", "chunks", "cp", "ep", "zero"];
measured.of = (runs, one) => (one.job !== "train" ? [] : (runs || []).filter((run) => run.device === one.device.name && ["", run.compute_dtype].includes(one.compute_dtype)
  && measured.SAME.every((name) => run[name] === one[name])).sort((a, b) => b.tokens - a.tokens));
