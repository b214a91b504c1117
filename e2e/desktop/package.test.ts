// What electron-builder really packs, into a stand-in for Electron: these files and no others, the fuses blown, and it runs.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { openIn } from '../../main/gateway-child.ts'
import { startServer } from '../../tools/bench/server.ts'
import { type Packed, packIntoStandIn } from '../../tools/pack.ts'
import { UtilityProcess } from './double/utility-process.ts'

const nameOf = (each: string): string => `@koromix/koffi-win32-${each}`

/** How a fuse stands in the wire: the digits 0 and 1. */
const DISABLE = 48
const ENABLE = 49

const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const folder = mkdtempSync(path.join(tmpdir(), 'gantry-package-'))
let packed: Packed
beforeAll(async () => {
  packed = await packIntoStandIn(arch, path.join(folder, 'pack'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the package', () => {
  it('holds the build and one package, and nothing of the sources, the tests or the tools', () => {
    const tops = new Set(packed.files.map((file) => file.split('/').slice(1, 3).join('/')))
    expect([...tops].toSorted()).toEqual([
      'dist',
      'dist/gateway',
      'dist/main',
      'dist/preload',
      'dist/renderer',
      'dist/seccomp',
      'dist/stdio',
      'node_modules',
      'node_modules/better-sqlite3',
      'package.json',
    ])
    expect(packed.files.filter((file) => /\.(ts|tsx|map|cc?|h)$/.test(file))).toEqual([])
    for (const needed of [
      '/dist/main/index.js',
      '/dist/main/gateway-process.js',
      '/dist/preload/index.cjs',
      '/dist/renderer/desktop.html',
    ])
      expect(packed.files).toContain(needed)
    for (const icon of ['app.png', 'tray.png', 'trayTemplate.png', 'trayTemplate@2x.png'])
      expect(packed.files).toContain(`/dist/main/icons/${icon}`)
  })

  it('has the database of this system alone, outside the archive, where the system can load it', () => {
    const native = (file: string): boolean => file.endsWith('.node')
    const own = [`/node_modules/better-sqlite3/prebuilds/linux-${arch}.node`]
    expect(packed.files.filter(native)).toEqual(own)
    expect(packed.unpacked.filter(native)).toEqual(own)
  })

  it('has on Windows the functions that hold local servers together, for both processors, and on no other system', () => {
    const root = path.join(import.meta.dirname, '..', '..')
    const { win, files } = parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8'))
    const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    // The three files that are published, without the one for a linker.
    expect(win.files).toEqual([
      'node_modules/@koromix/koffi-win32-${arch}/{package.json,index.js}',
      'node_modules/@koromix/koffi-win32-${arch}/win32_${arch}/koffi.node',
    ])
    expect(Object.keys(optionalDependencies)).toEqual(win.target[0].arch.toSorted().map(nameOf))
    expect([...files, ...packed.files].filter((file) => file.includes('koffi'))).toEqual([])
  })

  it('has every fuse as electron-builder.yml says (security case EL-02; skipped: running it with ELECTRON_RUN_AS_NODE, the binary is a stand-in)', async () => {
    const wire = await getCurrentFuseWire(packed.binary)
    expect({
      runAsNode: wire[FuseV1Options.RunAsNode],
      cookies: wire[FuseV1Options.EnableCookieEncryption],
      nodeOptions: wire[FuseV1Options.EnableNodeOptionsEnvironmentVariable],
      inspect: wire[FuseV1Options.EnableNodeCliInspectArguments],
      integrity: wire[FuseV1Options.EnableEmbeddedAsarIntegrityValidation],
      onlyAsar: wire[FuseV1Options.OnlyLoadAppFromAsar],
      fileProtocol: wire[FuseV1Options.GrantFileProtocolExtraPrivileges],
    }).toEqual({
      runAsNode: DISABLE,
      cookies: ENABLE,
      nodeOptions: DISABLE,
      inspect: DISABLE,
      integrity: ENABLE,
      onlyAsar: ENABLE,
      fileProtocol: DISABLE,
    })
  })

  it.skipIf(process.platform !== 'linux')(
    `starts its gateway on plain Node, with the database and the admin application${
      process.platform === 'linux' ? '' : ' (skipped: the packed database is that of Linux)'
    }`,
    async () => {
      const app = path.join(folder, 'app')
      packed.extract(app)
      const server = await startServer(path.join(app, 'dist', 'gateway', 'serve.js'), { PCG_ENABLED: 'true' })
      onTestFinished(() => server.stop())
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
      expect(await (await fetch(`${server.url}/admin/`)).text()).toContain('<title>Gantry')
    },
  )

  it.skipIf(process.platform !== 'linux')(
    `starts its gateway as the utility process of the application${
      process.platform === 'linux' ? '' : ' (skipped: the packed database is that of Linux)'
    }`,
    async () => {
      UtilityProcess.ready = true
      const fork = (): UtilityProcess =>
        UtilityProcess.fork(path.join(folder, 'app', 'dist', 'main', 'gateway-process.js'), [], { stdio: 'pipe' })
      const env = { PORT: '0', DATA_DIR: path.join(folder, 'own'), DB_PATH: path.join(folder, 'own', 'gantry.db') }
      const gateway = await openIn(fork)({ env, portFixed: true, lack: null }, 'running', {
        writeLog: () => undefined,
        onEvent: () => undefined,
        onCrash: () => undefined,
        signal: new AbortController().signal,
      })
      expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
      const overview = { method: 'GET', path: '/admin-api/overview', headers: {} } as const
      expect((await gateway.adminRequest(overview)).status).toBe(200)
      await gateway.close()
    },
  )

  it.skipIf(process.platform !== 'linux')(
    `reports when the driver of its database is that of another system (security case EL-23; skipped: ${
      process.platform === 'linux' ? 'the window, which shows the same message' : 'the packed database is that of Linux'
    })`,
    () => {
      const app = path.join(folder, 'app')
      // As a package that was put together wrongly has it.
      const prebuilds = path.join(import.meta.dirname, '..', '..', 'node_modules', 'better-sqlite3', 'prebuilds')
      const driver = path.join('node_modules', 'better-sqlite3', 'prebuilds', `linux-${arch}.node`)
      copyFileSync(path.join(prebuilds, `linux-${arch === 'x64' ? 'arm64' : 'x64'}.node`), path.join(app, driver))
      const { status, stderr } = spawnSync(process.execPath, [path.join(app, 'dist', 'gateway', 'serve.js')], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', HOME: folder, DATA_DIR: path.join(folder, 'data'), PORT: '0' },
      })
      expect([status, stderr]).toEqual([
        74,
        expect.stringMatching(/^gantry: The database driver of this installation is not built for this system/),
      ])
    },
  )
})
