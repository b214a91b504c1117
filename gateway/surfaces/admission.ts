// What is known of a request before its body is read: caller, surface, session, revision and rate, in the order of contract 5.1.
import { GatewayError } from '../contract/error.ts'
import type { DirectReply, DirectRequest } from '../http/direct.ts'
import { SUPPORTED, unsupportedVersion } from '../mcp/era.ts'
import { RpcError } from '../mcp/json-rpc.ts'
import type { Caller } from '../pipeline/call.ts'
import type { NoteRefusal } from './door.ts'
import { Post } from './post.ts'
import type { Session, Sessions } from './sessions.ts'
import type { Surface } from './surface.ts'

/** Which surface a path names. Throws `KEY_SCOPE` before existence is looked at, then `*_NOT_FOUND`. */
export type SurfaceOf = (request: DirectRequest, caller: Caller) => Surface

export type AdmissionParts = {
  readonly sessions: Pick<Sessions, 'find'>
  /** The caller of a request, or 401. */
  readonly authenticate: (request: DirectRequest) => Promise<Caller> | Caller
  /** Spends from the MCP budget, once or for a batch; throws when it is used up. A promise only where instances share limits. */
  readonly spend: (caller: Caller, session: Session | undefined, ip: string) => void | Promise<void>
  /** Records a request that is refused before a message is accepted. */
  readonly noteRefusal: NoteRefusal
}

export type Admission = {
  /** At once when its caller is known at once. Throws where no message can be answered yet. */
  admit(request: DirectRequest, reply: DirectReply): Post | Promise<Post>
  /** The modern era has no sessions: a header that names one, valid or not, is ignored. */
  withoutSession(post: Post): void | Promise<void>
}

export function headerOf({ headers }: Pick<DirectRequest, 'headers'>, name: string): string | undefined {
  const given = headers[name]
  return typeof given === 'string' && given !== '' ? given.trim() : undefined
}

export function createAdmission(
  { sessions, authenticate, spend, noteRefusal }: AdmissionParts,
  surfaceOf: SurfaceOf,
): Admission {
  function judge(post: Post, sessionId: string | undefined): void | Promise<void> {
    const { request, caller, surface } = post
    const refused = (error: unknown): void => {
      post.refusal = error
    }
    post.session = undefined
    post.refusal = undefined
    try {
      if (sessionId !== undefined) post.session = sessions.find(sessionId, surface.id, caller.name)
      const version = headerOf(request, 'mcp-protocol-version')
      if (version !== undefined && !SUPPORTED.includes(version)) throw unsupportedVersion(version)
      return spend(caller, post.session, request.context.ip)?.catch(refused)
    } catch (error) {
      refused(error)
    }
  }

  function surfaceFor(request: DirectRequest, caller: Caller): Surface {
    try {
      return surfaceOf(request, caller)
    } catch (error) {
      // Only here it is known whose request is refused.
      noteRefusal(request, error, caller)
      throw error
    }
  }

  return {
    admit(request, reply) {
      const admitted = (caller: Caller): Post | Promise<Post> => {
        const post = new Post(request, reply, caller, surfaceFor(request, caller))
        return judge(post, headerOf(request, 'mcp-session-id'))?.then(() => post) ?? post
      }
      const caller = authenticate(request)
      return caller instanceof Promise ? caller.then(admitted) : admitted(caller)
    },
    withoutSession(post) {
      if (post.session) post.session = undefined
      else if (isAboutSession(post.refusal)) return judge(post, undefined)
      return undefined
    },
  }
}

const isAboutSession = (refusal: unknown): boolean =>
  (refusal instanceof GatewayError || refusal instanceof RpcError) &&
  (refusal.code === 'INVALID_SESSION_ID' || refusal.code === 'SESSION_NOT_FOUND' || refusal.code === 'SESSION_CAPACITY')
