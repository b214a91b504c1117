// The digest of an image that a person names by its tag: the engine of this computer fetches it and is asked for what it has.
import { z } from 'zod'
import { type Environment, foundIn } from './environment.ts'
import { runTool } from './run-tool.ts'

const ENGINES = ['podman', 'docker'] as const
const Digests = z.array(z.string())
/** `name:tag`, as engines read it; no option begins like this. */
const IMAGE_TAG = /^[a-z0-9][\w./-]*(?::\d+\/[\w./-]+)?(?::[\w.-]{1,128})?$/
const DIGEST = /@sha256:[0-9a-f]{64}$/

/** `name@sha256:…`. Fetches the image, and runs nothing of it. */
export async function imageByDigest(image: string, env: Environment, signal: AbortSignal): Promise<string> {
  if (!IMAGE_TAG.test(image)) throw new Error(`"${image.slice(0, 200)}" is not the name of an image`)
  const found = await Promise.all(ENGINES.map((engine) => foundIn(engine, env, '/')))
  const file = found.find((each) => each !== undefined)
  if (file === undefined) throw new Error(`neither ${ENGINES.join(' nor ')} is installed`)
  const engine = (...args: readonly string[]) => runTool({ file, args, cwd: '/', env, signal })
  await engine('pull', '--quiet', image)
  const digests = Digests.parse(
    JSON.parse(await engine('image', 'inspect', '--format', '{{json .RepoDigests}}', image)),
  )
  const name = image.replace(/:[\w.-]{1,128}$/, '')
  const own = digests.filter((each) => DIGEST.test(each))
  // Docker leaves out the usual registry, which podman writes.
  const one = own.find((each) => each.replace(DIGEST, '').endsWith(name)) ?? own[0]
  if (one === undefined) throw new Error(`the engine has no digest of ${image}: it was built here, and not fetched`)
  return one
}
