import type { ResponseHeaders } from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';
import type { ResponseHandler, Stage, TransportError } from '../transport.ts';
import type { Connection, Dispatched, Line } from './connection.ts';
import { type Reached, saysClosed, toTransportError } from './faults.ts';

/** Shared: an error with its stack per request costs more than the rest of this. */
const ABORTED = new Error('the request was aborted');

/**
 * Passes on what undici says about one request, until its end or its abort. Where a kept
 * connection ends before it brought anything of an answer, its upstream had most likely closed
 * it already: then the request is sent `again`, once.
 */
export class Exchange implements Dispatcher.DispatchHandler, Dispatched {
  onAbort: () => void = () => {};
  /** That of the client which has the request. */
  line: Line | undefined;
  readonly #url: URL;
  readonly #handler: ResponseHandler;
  /** On a fresh connection; undefined: a request that may never be sent twice. */
  readonly #again: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #connection: Connection | undefined;
  /** Why it was sent again. */
  #broken: TransportError | undefined;
  #over = false;

  constructor(url: URL, handler: ResponseHandler, again?: () => void) {
    this.#url = url;
    this.#handler = handler;
    this.#again = again;
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
      this.#connection = this.line?.connection;
      this.#connection?.begin();
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
    const fault = toTransportError(error, this.#url, this.#reached());
    if (this.#mayGoAgain(error)) {
      this.#goAgain(fault);
      return;
    }
    this.#over = true;
    // That an address is refused would say that nothing was sent.
    this.#handler.onError(fault.fault === 'address' ? (this.#broken ?? fault) : fault);
  }

  #reached(): Reached {
    if (this.#connection === undefined) return 'connecting';
    return this.#connection.heard ? 'answer' : 'request';
  }

  #mayGoAgain(error: Error): boolean {
    if (this.#again === undefined || this.#broken !== undefined) return false;
    return saysClosed(error) && this.#wasKept();
  }

  /** Whether a kept connection ended, before or after the request was written to it. */
  #wasKept(): boolean {
    if (this.#connection === undefined) return this.line?.connection !== undefined;
    return this.#connection.reused && !this.#connection.heard;
  }

  #goAgain(fault: TransportError): void {
    this.#broken = fault;
    this.#connection = undefined;
    this.#controller = undefined;
    this.#handler.onStage('connecting');
    this.#again?.();
  }
}
