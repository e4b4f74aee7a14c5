import fc from 'fast-check';

// Setup of all tests: a fixed seed, so that every run generates the same cases.
// `FC_SEED=11 pnpm test` generates other cases.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 10) });
