import fc from 'fast-check';

// All tests use a fixed seed, so that fast-check generates the same cases in every run. `FC_SEED=11
// pnpm test` generates different cases.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 10) });
