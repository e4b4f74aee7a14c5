import type { ResponseHeaders } from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';
import type { ResponseHandler } from '../transport.ts';
import { type Reached, toTransportError } from './faults.ts';

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #url: URL;
  readonly #handler: ResponseHandler;
  readonly #ended: (completed: boolean) => void;
  #reached: Reached = 'connecting';
  #over = false;

  /** `ended` is called once, with `true` if the response was complete. */
  constructor(url: URL, handler: ResponseHandler, ended: (completed: boolean) => void) {
    this.#url = url;
    this.#handler = handler;
    this.#ended = ended;
  }

  abort(): void {
    if (!this.#over) this.#end(false);
  }

  onConnecting(stage: 'resolving' | 'connecting'): void {
    if (!this.#over) this.#handler.onStage(stage);
  }

  onRequestStart(): void {
    if (this.#over) return;
    this.#reached = 'request';
    this.#handler.onStage('sending');
  }

  /** Header names are in lower case, values are latin1 strings, and repeated headers are arrays. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders) {
    if (this.#over) return;
    this.#reached = 'response';
    if (status >= 200) this.#handler.onHeaders({ status, headers });
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (!this.#over) this.#handler.onData(bytes);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#end(true);
    this.#handler.onEnd();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    this.#end(false);
    this.#handler.onError(toTransportError(error, this.#url, this.#reached));
  }

  #end(completed: boolean): void {
    this.#over = true;
    this.#ended(completed);
  }
}
