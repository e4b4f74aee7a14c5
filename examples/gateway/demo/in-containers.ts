// The demo of `docker compose --profile demo`: the same plan as `pnpm demo` plays, but
// gateway, services and shop run already, each in a container, and this one is the flaky
// front besides.

import { startFlakyFront } from './flaky-front.ts';
import { playPlan } from './play.ts';

const { GATEWAY_URL: gateway = '', SHOP_URL: shop = '', FLAKY_URL: flaky = '' } = process.env;

await using _front = await startFlakyFront(shop, {
  host: '0.0.0.0',
  port: Number(new URL(flaky).port),
});
process.exitCode = await playPlan({ gateway, shop, flaky });
