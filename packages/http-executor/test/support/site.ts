import { type Received, type Reply, reply, startUpstream } from '@gatehouse/testing';

/** An upstream with several lists of answers, each at its own URL. */
interface Site extends AsyncDisposable {
  readonly origin: string;
  /** Returns a URL that gives these answers in order, and then repeats the last. */
  serve(...replies: Reply[]): string;
  /** Requests for a URL, in order. */
  received(url: string): Received[];
  /** Paths of all requests. */
  readonly requests: readonly string[];
}

export async function startSite(): Promise<Site> {
  const pages: Reply[][] = [];
  const arrived: Received[][] = [];
  const upstream = await startUpstream((request, response) => {
    const page = Number(/\d+/.exec(request.url));
    const replies = pages[page] ?? [{ status: 404 }];
    arrived[page]?.push(request);
    reply(response, (replies.length > 1 ? replies.shift() : replies[0]) ?? {});
  });
  return {
    origin: upstream.origin,
    serve: (...replies) => {
      arrived.push([]);
      return `${upstream.origin}/${pages.push(replies) - 1}`;
    },
    received: (url) => arrived[Number(new URL(url).pathname.slice(1))] ?? [],
    get requests() {
      return upstream.requests.map(({ url }) => url);
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}
