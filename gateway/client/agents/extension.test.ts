// The extension file: an archive that a reader of others opens, with a manifest that never holds the key.
import { describe, expect, it } from 'vitest'
import { extensionOf } from './extension.ts'

/** The members of an archive by its directory, as an unpacker goes about it. */
function unzipped(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  const files: Record<string, string> = {}
  let at = archive.readUInt32LE(end + 16)
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [packed, plain] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 24)]
    const name = archive.subarray(at + 46, at + 46 + archive.readUInt16LE(at + 28)).toString()
    const local = archive.readUInt32LE(at + 42)
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const content = archive.subarray(from, from + packed)
    expect(content.length).toBe(plain)
    files[name] = content.toString()
    at += 46 + archive.readUInt16LE(at + 28)
  }
  return files
}

describe('the extension file', () => {
  const made = extensionOf({
    name: 'gantry-dev',
    version: '1.0.0',
    url: 'http://127.0.0.1:8790/mcp-custom/dev',
    bridge: '// ü\n',
  })

  it('holds the bridge and a manifest that asks for the key', () => {
    const { 'manifest.json': manifest, ...rest } = unzipped(made)
    expect(rest).toEqual({ 'server/gantry-stdio.mjs': '// ü\n' })
    expect(JSON.parse(manifest ?? '')).toMatchObject({
      name: 'gantry-dev',
      server: { entry_point: 'server/gantry-stdio.mjs', mcp_config: { env: { GANTRY_KEY: '${user_config.key}' } } },
      user_config: {
        url: { default: 'http://127.0.0.1:8790/mcp-custom/dev' },
        key: { sensitive: true, required: true },
      },
    })
  })

  it('is the same whenever it is made', () => {
    const again = {
      name: 'gantry-dev',
      version: '1.0.0',
      url: 'http://127.0.0.1:8790/mcp-custom/dev',
      bridge: '// ü\n',
    }
    expect(extensionOf(again).equals(made)).toBe(true)
  })
})
