// The digest of an image that a person names by its tag: the engine of this computer fetches it and is asked for what it has.
import { z } from 'zod'
import { engineIn, NO_ENGINE } from '../../sandbox/container.ts'
import { type Environment, foundIn } from './environment.ts'
import { runTool } from './run-tool.ts'

const Digests = z.array(z.string())
/** `name:tag`, as engines read it; no option begins like this. */
const IMAGE_TAG = /^[a-z0-9][\w./-]*(?::\d+\/[\w./-]+)?(?::[\w.-]{1,128})?$/
const DIGEST = /@sha256:[0-9a-f]{64}$/

/** `name@sha256:…`. Fetches the image, and runs nothing of it. */
export async function imageByDigest(image: string, env: Environment, signal: AbortSignal): Promise<string> {
  if (!IMAGE_TAG.test(image)) throw new Error(`"${image.slice(0, 200)}" is not the name of an image`)
  const file = await engineIn((engine) => foundIn(engine, env, '/'))
  if (file === undefined) throw new Error(NO_ENGINE)
  const engine = (...args: readonly string[]) => runTool({ file, args, cwd: '/', env, signal })
  await engine('pull', '--quiet', image)
  const digests = Digests.parse(
    JSON.parse(await engine('image', 'inspect', '--format', '{{json .RepoDigests}}', image)),
  )
  const name = image.replace(/:[\w.-]{1,128}$/, '')
  // Docker leaves out the usual registry, which podman writes.
  const isOf = (other: string): boolean => other.endsWith(name) || name.endsWith(other)
  const own = digests.filter((each) => DIGEST.test(each) && isOf(each.replace(DIGEST, '')))
  // Podman also names those of an image that was built here, or had other names: one that its registry has can be fetched again.
  for (const one of own)
    if (own.length === 1 || (await engine('pull', '--quiet', one).then(Boolean, () => false))) return one
  throw new Error(`the engine has no digest of ${image}: it was built here, and not fetched`)
}
