"""What the tests' own browser promises them."""

import tempfile
import threading
import unittest
from pathlib import Path

from driver import Browser


class Downloads(unittest.TestCase):
    def test_a_name_held_by_an_empty_file_is_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            browser = Browser.__new__(Browser)  # no window is needed to wait for a file
            browser.downloads = Path(folder)
            (browser.downloads / "samples.csv").touch()
            whole = browser.downloads / "samples.csv.crdownload"
            whole.write_bytes(b"id,age\n")
            done = threading.Timer(0.3, whole.rename, [browser.downloads / "samples.csv"])
            done.start()
            self.assertEqual(browser.downloaded("samples.csv"), b"id,age\n")
            done.join()


if __name__ == "__main__":
    unittest.main()
