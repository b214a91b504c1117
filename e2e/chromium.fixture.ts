// The Chromium of browser tests.
import { type Browser, chromium } from 'playwright'

/** A page of a test does not live long enough for what an optimizing compiler and a small heap are good for. */
const SCRIPTS =
  '--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=64 --max-semi-space-size=64 --initial-heap-size=256 --no-flush-bytecode'

export const startChromium = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', SCRIPTS, ...args],
  })
