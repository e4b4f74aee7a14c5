import fc from 'fast-check';

// Setup of all tests: the same cases in every run; `FC_SEED=11 pnpm test` tries others.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 10) });
