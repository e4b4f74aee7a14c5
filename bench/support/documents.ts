import { NEW_ORDER } from './requests.ts';

/** Returns a 1.2 KB order, similar to those that shop APIs return. `n` makes the order unique. */
function order(n: number) {
  const id = `ord_${(4_096 + n * 7_919).toString(36).padStart(8, '0')}`;
  return {
    id,
    object: 'order',
    url: `https://api.shop.example/v2/orders/${id}?expand=items,customer`,
    status: n % 3 === 0 ? 'paid' : 'shipped',
    created_at: new Date(1_790_000_000_000 + n * 61_000).toISOString(),
    total: { amount: 24_900 + n, currency: 'EUR', tax_rate: 0.19, discount: null },
    customer: customer(n),
    items: NEW_ORDER.items,
    shipping: {
      carrier: 'DHL',
      tracking: `JJD00039${n}`,
      weight_kg: 38.25,
      position: { lat: 52.5125, lon: 13.3269 },
    },
    links: {
      self: `https://api.shop.example/v2/orders/${id}`,
      invoice: `https://pdf.shop.example/i/${id}.pdf`,
    },
    refunds: {
      object: 'list',
      data: [],
      url: `https://api.shop.example/v2/orders/${id}/refunds`,
      has_more: false,
    },
    updated_by: null,
    metadata: {
      source: 'web',
      campaign: 'herbst-2026',
      experiments: ['b14', 'b17'],
      score: -1.5e-7,
      gift: false,
    },
  };
}

function customer(n: number) {
  return {
    id: 51_883 + n,
    name: 'Zoë Kühn-Œuvrard',
    email: `zoe.kuehn+${n}@mail.example`,
    verified: true,
    address: NEW_ORDER.ship_to,
    note: NEW_ORDER.note,
  };
}

const list = (count: number) => ({
  object: 'list',
  has_more: false,
  data: Array.from({ length: count }, (_, n) => order(n)),
});

export const DOCUMENTS: Readonly<Record<string, string>> = {
  '/order': JSON.stringify(order(7)),
  '/orders-100kb': JSON.stringify(list(85)),
  '/orders-5mb': JSON.stringify(list(4_300)),
  '/orders-1mib': JSON.stringify(list(862)),
  '/orders-2mib': JSON.stringify(list(1_723)),
  '/orders-9mib': JSON.stringify(list(7_748)),
  '/controls-10mib': '\u0001'.repeat(10 * 1024 * 1024),
};

export const ACCEPTED = JSON.stringify({ id: 'ord_0003fzk1', object: 'order', status: 'accepted' });
export const ACCEPTING_PATH = '/accept';
