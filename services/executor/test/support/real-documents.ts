import type { JsonDocument } from './documents.ts';
import { GITHUB_REPOSITORY } from './github-repository.ts';

const raw = String.raw;
const pretty = (value: object) => JSON.stringify(value, null, 2);

/** `GET /` of Elasticsearch, laid out as it lays it out. */
export const ELASTICSEARCH_ROOT = `{
  "name" : "es-node-1",
  "cluster_name" : "elasticsearch",
  "cluster_uuid" : "8Lw1cvZ3QKKvHhKWWnL3aQ",
  "version" : {
    "number" : "8.13.2",
    "build_flavor" : "default",
    "build_type" : "docker",
    "build_hash" : "16cc90cd2d08a3147ce02b07e50894bc060a4cbf",
    "build_date" : "2024-04-05T14:45:26.420424304Z",
    "build_snapshot" : false,
    "lucene_version" : "9.10.0",
    "minimum_wire_compatibility_version" : "7.17.0",
    "minimum_index_compatibility_version" : "7.0.0"
  },
  "tagline" : "You Know, for Search"
}
`;

const ELASTICSEARCH_SEARCH = raw`{"took":5,"timed_out":false,
"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},
"hits":{"total":{"value":10000,"relation":"gte"},"max_score":1.0,
"hits":[{"_index":"logs-2024.04","_id":"kR9u","_score":1.0,
"_source":{"@timestamp":"2024-04-05T14:45:26.420Z","bytes":9007199254740993,"msg":"GET \/a\u0026b","ratio":0.10}}]},
"aggregations":{"p":{"values":{"50.0":12.0,"95.0":250.50,"99.0":1.0E3}}}}`;

const STRIPE_CHARGE = pretty({
  id: 'ch_3MmlLrLkdIwHu7ix0snN0B15',
  object: 'charge',
  amount: 1099,
  amount_refunded: 0,
  balance_transaction: 'txn_3MmlLrLkdIwHu7ix0uke3Ezy',
  billing_details: { address: { city: null, country: null }, email: null, name: null },
  created: 1679090539,
  currency: 'usd',
  metadata: {},
  outcome: { network_status: 'approved_by_network', risk_level: 'normal', risk_score: 32 },
  payment_method_details: {
    card: { brand: 'visa', exp_month: 3, exp_year: 2024, last4: '4242' },
    type: 'card',
  },
  receipt_url:
    'https://pay.stripe.com/receipts/payment/CAcaFwoVYWNjdF8xTTJKVGtMa2RJd0h1N2l4KOvG06AGMgZfBXyr1aw6',
});

const KUBERNETES = pretty({
  apiVersion: 'v1',
  kind: 'PodList',
  metadata: { resourceVersion: '10245', continue: 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAyNDV9' },
  items: [
    {
      metadata: {
        name: 'web-5d8f',
        labels: { 'app.kubernetes.io/name': 'web', 'pod-template-hash': '5d8f' },
        managedFields: [{ fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } } }],
      },
      spec: {
        containers: [{ name: 'web', resources: { limits: { cpu: '500m', memory: '128Mi' } } }],
      },
    },
  ],
});

const GEOJSON = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Zürich"},
"geometry":{"type":"Polygon","coordinates":[[[8.541694000000000,47.376887000000001],[8.5417000000000005,47.3770],
[-122.41941550000001,37.774929499999999],[8.541694000000000,47.376887000000001]]]},
"bbox":[5.95587,45.81802,10.49203,47.80838]}]}`;

const ETHEREUM = pretty({
  jsonrpc: '2.0',
  id: 1,
  result: {
    number: '0x1b4',
    difficulty: '0x4ea3f27bc',
    logsBloom: `0x${'0'.repeat(512)}`,
    transactions: [],
    uncles: [],
  },
});

const TWEET = raw`{"data":{"id":"1445880548472328192","id_num":1445880548472328193,"author_id":2244994945,
"text":"caf\u00e9 \ud83d\udc4b https:\/\/t.co\/8e1L0","public_metrics":{"like_count":0}},"includes":{"users":[]}}`;

const JSON_API = `{"jsonapi":{"version":"1.1"},"data":[{"type":"articles","id":"1",
"attributes":{"title":"A","price":"10.00","rank":1.50},
"relationships":{"author":{"links":{"self":"/articles/1/relationships/author"},"data":{"type":"people","id":"9"}}}}],
"links":{"next":"/articles?page%5Boffset%5D=2"},"included":[]}`;

const CHAT = pretty({
  id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Use `"a\\n"`:\n```json\n{"x": 1.0}\n```' },
      logprobs: null,
    },
  ],
  usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
});

export const REAL_DOCUMENTS: readonly JsonDocument[] = [
  { name: 'a GitHub repository', text: GITHUB_REPOSITORY },
  { name: 'the root of Elasticsearch', text: ELASTICSEARCH_ROOT },
  { name: 'a search of Elasticsearch', text: ELASTICSEARCH_SEARCH },
  { name: 'a Stripe charge', text: STRIPE_CHARGE },
  { name: 'pods of Kubernetes', text: KUBERNETES },
  { name: 'GeoJSON', text: GEOJSON },
  { name: 'a block of Ethereum', text: ETHEREUM },
  { name: 'a tweet', text: TWEET },
  { name: 'JSON:API', text: JSON_API },
  { name: 'a chat completion', text: CHAT },
  {
    name: 'a query of InfluxDB',
    text: raw`{"results":[{"statement_id":0,"series":[{"name":"cpu","columns":["time","mean"],
"values":[[1712345678123456789,0.64],[1712345678123456799,null],[1712345678123456809,1e-05]]}]}]}`,
  },
  {
    name: 'a range of Prometheus',
    text: raw`{"status":"success","data":{"resultType":"matrix",
"result":[{"metric":{},"values":[[1712345678.781,"NaN"]]}]}}`,
  },
  {
    name: 'an observation of FHIR',
    text: '{"resourceType":"Observation","valueQuantity":{"value":1.50,"unit":"mmol/L"},"low":{"value":0.010}}',
  },
  {
    name: 'an invoice in exact decimals',
    text: '{"lines":[{"net":19.90,"vat":3.7810,"gross":23.681}],"total":99999999999999999.99,"rate":1.10}',
  },
  {
    name: 'errors of GraphQL',
    text: '{"data":{"user":null},"errors":[{"message":"No \\"id\\"","path":["user",0],"extensions":{"code":"X"}}]}',
  },
  {
    name: 'rows of CouchDB',
    text: [
      '{"total_rows":3,"offset":0,"rows":[',
      '{"id":"_design/a","key":["a",{}],"value":{"rev":"1-9"}},',
      '{"id":"b"}',
      ']}\n',
    ].join('\r\n'),
  },
  {
    name: 'extended JSON of MongoDB',
    text: '{"_id":{"$oid":"5d505646cf6d4fe581014ab2"},"n":{"$numberLong":"9223372036854775807"},"d":{"$date":-1.0}}',
  },
];
