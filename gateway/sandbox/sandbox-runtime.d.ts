// The part of @anthropic-ai/sandbox-runtime that is used: what builds one command, without its proxies and its state for a whole process.
type SandboxPaths = {
  readonly needsNetworkRestriction: boolean
  /** Each path is a name: `*` and `[` in it are no pattern. */
  readonly readConfig: {
    readonly denyOnly: readonly []
    readonly literalDenyOnly: readonly string[]
    readonly literalAllowWithinDeny: readonly string[]
  }
  readonly writeConfig: { readonly allowOnly: readonly []; readonly literalAllowOnly: readonly string[] }
  readonly allowGitConfig: boolean
  readonly binShell: string
}

declare module '@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js' {
  type Tools = {
    readonly seccompConfig: { readonly applyPath: string }
    readonly bwrapPath: string
    readonly socatPath: string
  }
  export function wrapCommandWithSandboxLinux(
    params: Tools &
      SandboxPaths & {
        readonly command: string
        readonly httpSocketPath?: string
        readonly socksSocketPath?: string
        readonly ripgrepConfig: { readonly command: string }
      },
  ): Promise<string>
  export function cleanupBwrapMountPoints(): void
}

declare module '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js' {
  export function wrapCommandWithSandboxMacOS(
    params: SandboxPaths & {
      readonly command: string
      readonly httpProxyPort?: number
      readonly socksProxyPort?: number
      readonly proxyAuthToken?: string
    },
  ): string
}
