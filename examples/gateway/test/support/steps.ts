const HARMLESS = {
  spend: { amount_minor_units: 0, currency: 'EUR' },
  pii: { categories: [] },
  legal: { flags: [] },
};

/** Returns a step that the policy allows, unless `sections` replace its harmless facts. */
export function step(id: string, sections: object = {}) {
  return { id, action: { method: 'GET', url: `http://localhost/${id}` }, ...HARMLESS, ...sections };
}

export const denied = (id: string) => step(id, { pii: { categories: ['biometric'] } });
export const awaiting = (id: string, sections: object = {}) =>
  step(id, { spend: { amount_minor_units: 20_000, currency: 'EUR' }, ...sections });

/** Member of a step that depends on no other step. */
export const ALONE = { depends_on: [] };

/** Outcome of an execution, as the executor answers. */
export const SUCCESS = {
  ...{ outcome: 'success', status: 200, headers: {} },
  ...{ body: { ok: true }, attempts: 1, history: [] },
};
