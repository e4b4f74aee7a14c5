// `docker compose --profile demo up` runs this file. The plan is the same as in `pnpm demo`, but
// the gateway and the first shop run in containers. The demo's second shop, which often fails,
// runs in this process. The image contains only the demo's `dependencies`, so nothing here may
// import the refund, which needs its `devDependencies`.

import { playPlan } from './play-plan.ts';
import { startFlakyShop } from './shop.ts';

const { GATEWAY_URL: gateway = '', SHOP_URL: shop = '', FLAKY_URL: flaky = '' } = process.env;

const port = Number(new URL(flaky).port);
await using _flaky = await startFlakyShop({ host: '0.0.0.0', port });
const asExpected = await playPlan({ gateway, shop, flaky, fromFile: false });
process.exitCode = asExpected ? 0 : 1;
