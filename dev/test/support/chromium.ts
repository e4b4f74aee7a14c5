import { findProgram } from '@gatehouse/testing';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Finds Chromium: CHROMIUM_PATH, or an installed program. */
export const findChromium = () => process.env.CHROMIUM_PATH || findProgram(...NAMES);
