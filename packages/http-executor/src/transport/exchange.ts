import type { ResponseHeaders } from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';
import type { ResponseHandler, Stage } from '../transport.ts';
import type { Dispatched } from './connect.ts';
import { toTransportError } from './faults.ts';

/**
 * One for all: an error with its stack for every request would cost more than the rest of
 * this.
 */
const ABANDONED = new Error('the request was given up');

/**
 * Passes on what undici says about one request, until its end or until it is given up.
 */
export class Exchange implements Dispatcher.DispatchHandler, Dispatched {
  whenAbandoned: () => void = () => {};
  readonly #url: URL;
  readonly #handler: ResponseHandler;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #over = false;

  constructor(url: URL, handler: ResponseHandler) {
    this.#url = url;
    this.#handler = handler;
  }

  /** Ends the exchange with its connection, even while that is still being made. */
  abandon(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(ABANDONED);
    this.whenAbandoned();
  }

  reached(stage: Stage): void {
    if (!this.#over) this.#handler.reached(stage);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(ABANDONED);
    else {
      this.#sent = true;
      this.#handler.reached('sending');
    }
  }

  /**
   * undici has the names in lower case, also `__proto__`, the values in latin1, and
   * arrays of repeated ones.
   */
  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status >= 200 && !this.#over) this.#handler.head({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#over) return;
    if (!this.#handler.part(bytes, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.failed(toTransportError(error, this.#url, this.#sent));
  }
}
