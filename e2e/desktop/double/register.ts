// Loaded before the built main: `electron` means the double from here on.
import { registerHooks } from 'node:module'

const double = new URL('electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: double, shortCircuit: true } : next(specifier, context),
})
