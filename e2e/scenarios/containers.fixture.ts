// A real container engine for tests: podman with its own store, a registry on loopback, and images of bash that are made here without a network.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { endedWithUs } from '../../tools/ended-with.ts'

const run = promisify(execFile)
const SHELL = '/bin/bash'
const UNIFIED = '/sys/fs/cgroup/unified'

/** An MCP server of bash alone. Its tool runs the text, in which there are no quotes, and answers with what that writes. Words after the script: a file that it writes as it starts, and `stubborn`. */
const server = (version: string): string => `
[ -z "$1" ] || { echo started > "$1"; } 2>/dev/null
[ "$2" != stubborn ] || trap '' TERM
while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}; id=\${id%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"${version}"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"run","description":"Of ${version}","inputSchema":{"type":"object"}},{"name":"of-${version}","inputSchema":{"type":"object"}}]}' ;;
    *) code=\${line#*'"code":"'}
      eval "\${code%%\\"*}" > /tmp/out 2>&1
      out=$(</tmp/out); out=\${out//[\\\\\\"]/}; out=\${out//[[:cntrl:]]/ }
      result='{"content":[{"type":"text","text":"'$out'"}]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done
[ "$2" != stubborn ] || { coproc read -r; } 2>/dev/null
[ "$2" != stubborn ] || while :; do read -r -t 60 -u "\${COPROC[0]}"; done
`

/** What this host needs, in the configuration of the engine: a group per container without systemd, and cgroups of one version. */
function configuration(folder: string): string {
  const isHybrid = existsSync(`${UNIFIED}/cgroup.controllers`)
  const runtime = join(folder, 'crun')
  if (isHybrid)
    writeFileSync(
      runtime,
      `#!/bin/sh\nexec unshare --mount --propagation private sh -c 'umount ${UNIFIED}; exec crun "$@"' crun "$@"\n`,
      { mode: 0o755 },
    )
  return [
    '[engine]',
    ...(existsSync('/run/systemd/system') ? [] : ['cgroup_manager = "cgroupfs"']),
    'events_logger = "none"',
    ...(isHybrid ? ['runtime = "crun"', '[engine.runtimes]', `crun = ["${runtime}"]`] : []),
    '[containers]',
    'default_ulimits = ["nofile=1024:1024", "nproc=512:512"]',
  ].join('\n')
}

/** With an address that the system chose. */
async function aRegistry(folder: string): Promise<{ readonly address: string; readonly child: ChildProcess }> {
  const file = join(folder, 'registry.yml')
  writeFileSync(
    file,
    `version: 0.1\nlog: { level: info }\nstorage: { filesystem: { rootdirectory: ${join(folder, 'registry')} } }\nhttp: { addr: "127.0.0.1:0" }\n`,
  )
  const child = endedWithUs(spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'pipe', 'pipe'] }))
  let text = ''
  const address = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      text += chunk.toString()
      const found = /listening on (127\.0\.0\.1:\d+)/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the registry ended: ${text}`)))
  })
  return { address, child }
}

/** The files of an image: bash and its libraries. */
function rootIn(folder: string): string {
  const root = join(folder, 'root')
  const libraries = spawnSync('ldd', [SHELL], { encoding: 'utf8' }).stdout.match(/\/[^\s)]+/g) ?? []
  for (const file of [SHELL, ...libraries]) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    copyFileSync(file, join(root, file))
  }
  for (const name of ['tmp', 'proc', 'dev', 'sys', 'etc', 'run']) mkdirSync(join(root, name), { recursive: true })
  return root
}

export type RealEngine = Awaited<ReturnType<typeof anEngine>> & object

/** A sentence where this machine has none. */
export async function realEngine(): Promise<RealEngine | string> {
  for (const program of ['podman', 'docker-registry', 'ldd'])
    if (spawnSync(program, ['--version']).error !== undefined) return `no container engine: ${program} is not installed`
  const folder = mkdtempSync(join(tmpdir(), 'gantry-engine-'))
  try {
    return await anEngine(folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const text = error instanceof Error ? error.message : String(error)
    return `no container engine: podman runs nothing here: ${text.trim().split('\n').at(-1)}`
  }
}

async function anEngine(folder: string) {
  // What can fail comes before the registry, which would be left running.
  const root = rootIn(folder)
  const { address, child } = await aRegistry(folder)
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const [graph, running] = [join(folder, 'graph'), join(folder, 'run')]
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    CONTAINERS_CONF: file('containers.conf', configuration(folder)),
    CONTAINERS_STORAGE_CONF: file(
      'storage.conf',
      `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${running}"\n`,
    ),
    CONTAINERS_REGISTRIES_CONF: file('registries.conf', `[[registry]]\nlocation = "${address}"\ninsecure = true\n`),
  }
  const podman = async (...args: readonly string[]): Promise<string> =>
    (await run('podman', [...args], { env })).stdout.trim()

  /** Makes the image, and gives it to the registry: the engine has to fetch it. Resolves with its digest there. */
  async function publish(tag: string): Promise<string> {
    writeFileSync(join(root, 'server'), server(tag))
    const archive = join(folder, 'root.tar')
    await run('tar', ['-C', root, '-cf', archive, '.'])
    const image = `${address}/notes:${tag}`
    await podman('import', '--quiet', '--change', `ENTRYPOINT ["${SHELL}", "/server"]`, archive, image)
    await podman('push', '--quiet', image)
    await podman('rmi', '--force', image)
    const accept = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json'
    const { headers } = await fetch(`http://${address}/v2/notes/manifests/${tag}`, { headers: { accept } })
    return headers.get('docker-content-digest') ?? ''
  }

  async function end(): Promise<void> {
    child.kill('SIGKILL')
    await podman('rm', '--all', '--force').catch(() => '')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const digests = { '1.0': await publish('1.0'), '1.1': await publish('1.1') }
    const image = `${address}/notes:1.1`
    await podman('run', '--rm', '--network=none', '--memory=64m', '--entrypoint', SHELL, image, '-c', 'exit 0')
    await podman('rmi', '--force', image)
    return {
      address,
      env,
      digests,
      podman,
      folder,
      endRegistry: (): void => void child.kill('SIGKILL'),
      /** Of all containers, also of those that ended. */
      names: async (): Promise<readonly string[]> =>
        (await podman('ps', '--all', '--format={{.Names}}')).split('\n').filter(Boolean),
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}
