// The part of @anthropic-ai/sandbox-runtime that its adapter uses: what builds one command, without its proxies and its state for a whole process.
declare module '@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js' {
  type Seccomp = { readonly seccompConfig: { readonly applyPath: string } }
  export function getLinuxDependencyStatus(options: Seccomp): {
    readonly hasBwrap: boolean
    readonly hasSocat: boolean
    readonly hasSeccompApply: boolean
  }
  export function wrapCommandWithSandboxLinux(
    params: Seccomp & {
      readonly command: string
      readonly needsNetworkRestriction: boolean
      readonly httpSocketPath?: string
      readonly socksSocketPath?: string
      readonly readConfig: { readonly denyOnly: string[]; readonly allowWithinDeny: string[] }
      readonly writeConfig: { readonly allowOnly: string[]; readonly denyWithinAllow: string[] }
      readonly allowGitConfig: boolean
      readonly ripgrepConfig: { readonly command: string }
    },
  ): Promise<string>
  export function cleanupBwrapMountPoints(): void
}
