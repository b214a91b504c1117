// The bridge as an extension file (.mcpb): Claude Desktop runs it on its own Node and keeps the key in the system's keyring.
import { zipOf } from '../../contract/zip.ts'
import { KEY_VARIABLE } from './parsed-entry.ts'

type Extension = {
  readonly name: string
  readonly version: string
  readonly url: string
  /** The text of the bridge program. */
  readonly bridge: string
}

const ENTRY = 'server/gantry-stdio.mjs'

export function extensionOf({ name, version, url, bridge }: Extension): Buffer {
  const manifest = {
    manifest_version: '0.3',
    name,
    display_name: `Gantry: ${name}`,
    version,
    description: `The tools of ${url}, through Gantry`,
    author: { name: 'Gantry' },
    server: {
      type: 'node',
      entry_point: ENTRY,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${ENTRY}`, '--url', '${user_config.url}'],
        env: { [KEY_VARIABLE]: '${user_config.key}' },
      },
    },
    user_config: {
      url: {
        type: 'string',
        title: 'Address',
        description: 'The endpoint of the gateway',
        default: url,
        required: true,
      },
      key: {
        type: 'string',
        title: 'Key',
        description: 'Shown when the extension was made; another can be made on the page Keys',
        sensitive: true,
        required: true,
      },
    },
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=20' } },
  }
  const files = [
    { path: 'manifest.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
    { path: ENTRY, text: bridge },
  ]
  return Buffer.from(zipOf(files))
}
