"""DOUBLE of Remote Control: its info route, the call route with its gates, its refusals."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PYTHON = '/script/pythonscriptplugin.default__pythonscriptlibrary'


def serve(editor, config):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        disable_nagle_algorithm = True

        def log_message(self, *_args):
            pass

        def answer(self, status, value):
            body = json.dumps(value).encode('utf-8')
            self.send_response(status)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def refused(self):
            wanted = config.get('passphrase')
            return wanted is not None and self.headers.get('Passphrase') != wanted

        def do_GET(self):
            if config.get('guard_info') and self.refused():
                return self.answer(401, {'errorMessage': 'Invalid Passphrase'})
            if self.path != '/remote/info':
                return self.answer(404, {'errorMessage': 'Unknown route'})
            routes = [('/remote/info', 'Get'), ('/remote/object/call', 'Put'), ('/remote/batch', 'Put')]
            return self.answer(200, {'HttpRoutes': [{'Path': path, 'Verb': verb, 'Description': ''} for path, verb in routes]})

        def do_PUT(self):
            body = json.loads(self.rfile.read(int(self.headers.get('Content-Length', 0))))
            if self.refused():
                return self.answer(401, {'errorMessage': 'Invalid Passphrase'})
            if self.path != '/remote/object/call':
                return self.answer(404, {'errorMessage': 'Unknown route'})
            if body['objectPath'].lower() != PYTHON or body['functionName'] != 'ExecutePythonCommandEx':
                return self.answer(400, {'errorMessage': 'Object does not exist.'})
            if not config.get('plugin', True):
                return self.answer(400, {'errorMessage': 'Object: %s does not exist.' % body['objectPath']})
            if not config.get('python', True):
                return self.answer(400, {'errorMessage': 'Executing Python remotely is not enabled in the remote control settings.'})
            if not config.get('allowed', True):
                return self.answer(400, {'errorMessage': 'ExecutePythonCommandEx is not allowed by remote control settings.'})
            given = body['parameters']
            success, result, lines = editor.run_python(given['PythonCommand'], given['ExecutionMode'])
            return self.answer(200, {
                'ReturnValue': success, 'CommandResult': result,
                'LogOutput': [{'Type': 'Info', 'Output': line} for line in lines],
            })

    server = ThreadingHTTPServer((config.get('host', '127.0.0.1'), config.get('port', 0)), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]
