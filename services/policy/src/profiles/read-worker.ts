import {
  changeOf,
  type ProfileChange,
  type Profiles,
  readProfileFile,
} from '@gatehouse/policy-profile';

// The main module of a thread.

export interface ReadTask {
  readonly path: string;
  /** What is in force. */
  readonly before: Profiles;
}

export interface Reading {
  readonly next: Profiles;
  readonly change: ProfileChange;
}

/** Reads a profile file away from the thread that serves requests. @throws InvalidFile */
export default function read({ path, before }: ReadTask): Reading {
  const next = readProfileFile(path);
  return { next, change: changeOf(before, next) };
}
