import type { ResponseHeaders } from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';
import type { ResponseHandler, Stage } from '../transport.ts';
import type { Dispatched } from './connect.ts';
import { toTransportError } from './faults.ts';

/** Shared: an error with its stack per request costs more than the rest of this. */
const ABORTED = new Error('the request was aborted');

/** Passes on what undici says about one request, until its end or its abort. */
export class Exchange implements Dispatcher.DispatchHandler, Dispatched {
  onAbort: () => void = () => {};
  readonly #url: URL;
  readonly #handler: ResponseHandler;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #over = false;

  constructor(url: URL, handler: ResponseHandler) {
    this.#url = url;
    this.#handler = handler;
  }

  /** Ends the exchange and its connection, even one that is still being made. */
  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(ABORTED);
    this.onAbort();
  }

  onStage(stage: Stage): void {
    if (!this.#over) this.#handler.onStage(stage);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(ABORTED);
    else {
      this.#sent = true;
      this.#handler.onStage('sending');
    }
  }

  /** From undici: names in lower case, values in latin1, repeated headers as arrays. */
  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status >= 200 && !this.#over) this.#handler.onHeaders({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#over) return;
    if (!this.#handler.onData(bytes, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onError(toTransportError(error, this.#url, this.#sent));
  }
}
