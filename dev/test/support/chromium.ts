import { findProgram } from '@gatehouse/testing';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The Chromium of this machine: CHROMIUM_PATH, or one that is installed. */
export const findChromium = () => process.env.CHROMIUM_PATH || findProgram(...NAMES);
