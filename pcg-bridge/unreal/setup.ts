// What a person has to switch on in the editor, with the exact keys; and what each refusal of an editor asks for.
import type { UnrealDriver } from '../contract/index.ts'

export type SetupStep = { readonly title: string; readonly file: string | null; readonly text: string }
export type SetupGuide = { readonly title: string; readonly about: string; readonly steps: readonly SetupStep[] }

const THROTTLE: SetupStep = {
  title: 'Keep the editor quick while another window is in front',
  file: 'Config/DefaultEditorSettings.ini',
  text: '[/Script/UnrealEd.EditorPerformanceSettings]\nbThrottleCPUWhenNotForeground=False',
}

/** For Remote Control, for Python remote execution, for the MCP server of 5.8. */
export const SETUP: Readonly<Record<UnrealDriver, SetupGuide>> = {
  'remote-control': {
    title: 'Remote Control (recommended)',
    about:
      'Any program of this machine can then run Python in the editor: switch it on for the projects you work on, and off again when you do not need it.',
    steps: [
      {
        title: 'Edit > Plugins: switch on these three and restart the editor',
        file: null,
        text: 'Procedural Content Generation Framework (PCG)\nPython Editor Script Plugin\nRemote Control API',
      },
      {
        title: 'Let the server start, and allow this one function',
        file: 'Config/DefaultRemoteControl.ini',
        text: [
          '[/Script/RemoteControlCommon.RemoteControlSettings]',
          'bAutoStartWebServer=True',
          'bAutoStartWebSocketServer=False',
          'RemoteControlHttpServerPort=30010',
          'RemoteControlWebsocketServerBindAddress=127.0.0.1',
          'RemoteControlWebInterfaceBindAddress=127.0.0.1',
          'bRestrictServerAccess=True',
          'AllowedOrigin=http://127.0.0.1',
          'bEnforcePassphraseForRemoteClients=True',
          'bEnableRemotePythonExecution=True',
          'bAllowConsoleCommandRemoteExecution=False',
          'bAllowAnyRemoteFunctionCall=False',
          '+CustomAllowedRemoteFunctionCalls=(ClassPath="/Script/PythonScriptPlugin.PythonScriptLibrary")',
        ].join('\n'),
      },
      {
        title: 'Keep the server on this machine',
        file: 'Config/DefaultEngine.ini',
        text: '[HTTPServer.Listeners]\nDefaultBindAddress=127.0.0.1',
      },
      THROTTLE,
      { title: 'Without a restart: in the console of the editor', file: null, text: 'WebControl.StartServer' },
    ],
  },
  'remote-execution': {
    title: 'Python remote execution',
    about:
      'Needs one setting only. Editors are found by multicast on this machine, which a VPN or a firewall can break; then use Remote Control.',
    steps: [
      {
        title: 'Edit > Plugins: switch on these two and restart the editor',
        file: null,
        text: 'Procedural Content Generation Framework (PCG)\nPython Editor Script Plugin',
      },
      {
        title: 'Project Settings > Plugins > Python > Enable Remote Execution, or',
        file: 'Config/DefaultEngine.ini',
        text: [
          '[/Script/PythonScriptPlugin.PythonScriptPluginSettings]',
          'bRemoteExecution=True',
          'RemoteExecutionMulticastGroupEndpoint=239.0.0.1:6766',
          'RemoteExecutionMulticastBindAddress=127.0.0.1',
          'RemoteExecutionMulticastTtl=0',
        ].join('\n'),
      },
      {
        title: 'On Linux only: bind to every address and route the group to this machine',
        file: 'Config/DefaultEngine.ini',
        text: 'RemoteExecutionMulticastBindAddress=0.0.0.0\n; and once, as root: ip route add 239.0.0.1 dev lo',
      },
      THROTTLE,
    ],
  },
  'unreal-mcp': {
    title: "Unreal's own MCP server (5.8, experimental)",
    about:
      'Adds graph parameters, which Python cannot. It has no tools for components and clean-up: switch on Remote Control or Python remote execution beside it.',
    steps: [
      {
        title: 'Edit > Plugins: switch on these two and restart the editor',
        file: null,
        text: 'Unreal MCP (ModelContextProtocol)\nPCG Toolset (PCGToolset), or All Toolsets',
      },
      {
        title: 'Let the server start with the editor',
        file: 'Config/DefaultEditorPerProjectUserSettings.ini',
        text: '[/Script/ModelContextProtocolEngine.ModelContextProtocolSettings]\nbAutoStartServer=True',
      },
      {
        title: 'Without a restart: in the console of the editor',
        file: null,
        text: 'ModelContextProtocol.StartServer 8000',
      },
    ],
  },
}

export const THROTTLE_HINT =
  'The editor answers slowly: it saves CPU while another window is in front. Put bThrottleCPUWhenNotForeground=False under [/Script/UnrealEd.EditorPerformanceSettings] in Config/DefaultEditorSettings.ini.'

export const WAYS_OUT = {
  notAllowed:
    'Remote Control does not allow the Python call: in Config/DefaultRemoteControl.ini, under [/Script/RemoteControlCommon.RemoteControlSettings], add +CustomAllowedRemoteFunctionCalls=(ClassPath="/Script/PythonScriptPlugin.PythonScriptLibrary") and restart the editor',
  pythonOff:
    'Remote Control does not run Python: set bEnableRemotePythonExecution=True in Config/DefaultRemoteControl.ini, under [/Script/RemoteControlCommon.RemoteControlSettings], and restart the editor',
  pythonPlugin:
    'The editor has no Python: switch on Python Editor Script Plugin in Edit > Plugins and restart the editor',
  passphrase: 'The editor wants its Remote Control passphrase: set it as the token of this editor',
  noParameters: (engine: string) =>
    `UE ${engine} cannot add graph parameters from outside: use UE 5.8 with the plugins Toolset Registry and PCG Toolset, or add the parameter in the graph editor (Graph Settings > Parameters). Existing parameters can be read and set.`,
  noNodeData: (engine: string) =>
    `UE ${engine} does not show node data to other programs: use UE 5.8 with the plugins Toolset Registry and PCG Toolset, or inspect the node in Unreal’s PCG editor with the key A`,
  mcpAlone:
    "Unreal's MCP server answers, but it has no tools for components, clean-up and generated data: switch on Remote Control or Python remote execution in the same editor as well",
} as const
