"""`python -m linnet`: the same as `linnet`."""

from __future__ import annotations

from linnet.start import main

if __name__ == "__main__":
    main()
