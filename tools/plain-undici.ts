// What the build puts in place of an import of `undici`: the pool and its connector, without fetch, caches, mocks and WebSockets.
import type { Plugin } from 'vite'

const ID = '\0plain-undici'
const PLAIN_UNDICI = `export { default as Pool } from 'undici/lib/dispatcher/pool.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'`

export function plainUndici(): Plugin {
  return {
    name: 'plain-undici',
    enforce: 'pre',
    resolveId: (source) => (source === 'undici' ? ID : null),
    load: (id) => (id === ID ? PLAIN_UNDICI : null),
  }
}
