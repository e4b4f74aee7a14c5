import type { Attack } from './attack.ts';
import { type Stage, setStage } from './examine.ts';

/** A service that stays until it dies, or an attack needs another. */
export class SharedStage implements AsyncDisposable {
  #stage: Stage | undefined;
  #setup = '';

  async for(attack: Attack): Promise<Stage> {
    const { service, settings, preload } = attack;
    const setup = JSON.stringify([service, settings, preload]);
    if (
      this.#stage === undefined ||
      setup !== this.#setup ||
      this.#stage.service.ended() !== undefined
    ) {
      await this[Symbol.asyncDispose]();
      this.#stage = await setStage(attack);
      this.#setup = setup;
    }
    return this.#stage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stage?.[Symbol.asyncDispose]();
    this.#stage = undefined;
  }
}
