import os, pytest
@pytest.fixture
def command():
    return os.environ["ARMATURE_COMMAND"]
