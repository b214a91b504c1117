// Loaded before the built main: `electron` means the double from here on.
import { registerHooks } from 'node:module'

const double = new URL('electron.ts', import.meta.url).href

// Which system's application the double is; its files and processes are those of this one.
const platform = process.env.GANTRY_DOUBLE_PLATFORM
if (platform) Object.defineProperty(process, 'platform', { value: platform })

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: double, shortCircuit: true } : next(specifier, context),
})
