// What the build puts in place of an import of `node:http`: its values, without the names that load the fetch of Node.
import http from 'node:http'
import type { Plugin } from 'vite'

const ID = '\0plain-http'
/** Getters load what they name: `WebSocket` and its events the whole of fetch. An import reads every one of them. */
const VALUES = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { value }]) =>
  value === undefined ? [] : [name],
)

export const PLAIN_HTTP = [
  `const http = process.getBuiltinModule('node:http')`,
  'export default http',
  ...VALUES.map((name) => `export const ${name} = http.${name}`),
].join('\n')

export function plainHttp(): Plugin {
  return {
    name: 'plain-http',
    enforce: 'pre',
    resolveId: (source) => (source === 'node:http' || source === 'http' ? ID : null),
    load: (id) => (id === ID ? PLAIN_HTTP : null),
  }
}
